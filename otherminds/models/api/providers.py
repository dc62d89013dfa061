"""Who serves models under which address, and in which environment variable the key for it lies.

The key itself is read from there and stored nowhere. Anthropic is asked through the layer that it keeps for OpenAI's
form of request, which passes over log-probabilities and schemas without a word, so that they are not tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Provider:
    """One place where models are served."""

    base_url: str
    key_env: str
    about: str
    lacks: tuple[str, ...] = ()
    """What its documentation says that it does not have; nothing: it is tried out."""

    @property
    def settings(self) -> dict[str, Any]:
        """As an endpoint takes them."""
        known = {"base_url": self.base_url, "key_env": self.key_env}
        return known | ({"lacks": self.lacks} if self.lacks else {})


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", "OpenAI"),
    "anthropic": Provider(
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        "Anthropic, in OpenAI's form: texts alone",
        lacks=("raw", "prefill", "schema", "weigh", "continuations"),
    ),
    "google": Provider("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "Google's Gemini"),
    "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY", "Mistral"),
    "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY", "Groq"),
    "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY", "Together"),
    "openrouter": Provider(
        "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "OpenRouter, which passes on to others"
    ),
    "ollama": Provider("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", "Ollama on this machine"),
    "vllm": Provider("http://127.0.0.1:8000/v1", "VLLM_API_KEY", "vLLM on this machine, or at base_url"),
    "sglang": Provider("http://127.0.0.1:30000/v1", "SGLANG_API_KEY", "SGLang on this machine, or at base_url"),
}
SERVED = ("api", *PROVIDERS)
"""What a name begins with whose model is behind a server."""
