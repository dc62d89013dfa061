"""Thoughts in the third person: by hand, and by a grammar check that shares nothing with the rules it checks."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from otherminds.studies.dialogue.third_person import unsure
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.talks import bank
from otherminds.talks.talk import Person, Pronoun


def person(first: str, pronoun: Pronoun) -> Person:
    return Person(first.lower(), first, "Test", 40, "baker", pronoun, "HLHLH")


PEOPLE = {
    "O": person("Omar", "he"),
    "P": person("Pablo", "he"),
    "N": person("Nora", "she"),
    "V": person("Vera", "she"),
    "Q": person("Quinn", "they"),
    "L": person("Luca", "they"),
}

TOLD = """
OP I am sure that he is wrong.
   Omar is sure that Pablo is wrong.
ON I have no plan, and I do not want one.
   Omar has no plan, and he does not want one.
ON I don't need her help.
   Omar doesn't need Nora's help.
ON I really don't need her help, but I'm glad of it.
   Omar really doesn't need Nora's help, but he is glad of it.
ON I haven't told her, because I wasn't sure that I could.
   Omar hasn't told Nora, because he wasn't sure that he could.
QN I'm tired, and I was tired yesterday; I haven't slept.
   Quinn is tired, and they were tired yesterday; they haven't slept.
QN I was late and was sorry.
   Quinn was late and was sorry.
ON I was late and am sorry.
   Omar was late and is sorry.
ON I hear her and worry.
   Omar hears Nora and worries.
ON I see the letter but say nothing.
   Omar sees the letter but says nothing.
ON I trust her and need her.
   Omar trusts Nora and needs her.
ON I neither want it nor need it.
   Omar neither wants it nor needs it.
ON I want to stop and think before I answer.
   Omar wants to stop and think before he answers.
ON I will wait and see whether she means it.
   Omar will wait and see whether Nora means it.
ON I don't eat or sleep any more.
   Omar doesn't eat or sleep any more.
ON I like tea and biscuits, and I want some.
   Omar likes tea and biscuits, and he wants some.
ON I feel calm and open, as if I were on holiday.
   Omar feels calm and open, as if he were on holiday.
OP I think that he wants me to lower my price.
   Omar thinks that Pablo wants Omar to lower his price.
ON I think that she wants me to lower my price.
   Omar thinks that Nora wants him to lower his price.
OQ I think that they want me to lower my price.
   Omar thinks that Quinn wants him to lower his price.
QO I think that he wants me to lower my price.
   Quinn thinks that Omar wants Quinn to lower their price.
QL I think that they want me to lower my price.
   Quinn thinks that Luca wants Quinn to lower their price.
OQ I think that they are tired, but they won't admit it.
   Omar thinks that Quinn is tired, but Quinn won't admit it.
OQ I think that they don't trust me, and they've said so.
   Omar thinks that Quinn doesn't trust him, and Quinn has said so.
OQ I think that they were pleased with themselves.
   Omar thinks that Quinn was pleased with themselves.
OQ I wish they were here, and I hope they have a key.
   Omar wishes Quinn were here, and he hopes Quinn has a key.
QL I think that they were pleased and that they were polite.
   Quinn thinks that Luca was pleased and that Luca was polite.
OQ I think that they know me and trust me.
   Omar thinks that Quinn knows him and trusts him.
OQ I hope that they'll come, and I'd hoped they'd bring their brother.
   Omar hopes that Quinn will come, and he had hoped Quinn would bring their brother.
ON I'd like to leave, I'd better hurry, and I'd rather not explain.
   Omar would like to leave, he had better hurry, and he would rather not explain.
ON I've had enough of her, and I'll say so.
   Omar has had enough of Nora, and he will say so.
ON I think that she's hiding something and that she's been crying.
   Omar thinks that Nora is hiding something and that she has been crying.
OP I know he's decided to leave and he'll never say why.
   Omar knows Pablo has decided to leave and will never say why.
NV I think her offer is fair, and I like her.
   Nora thinks Vera's offer is fair, and Nora likes her.
NV I want to give her the keys before I ask her to stay.
   Nora wants to give Vera the keys before Nora asks her to stay.
OP I will keep my boat and I will give him his money.
   Omar will keep his boat and will give Pablo his money.
OP I want him to trust himself, and I must trust myself.
   Omar wants Pablo to trust himself, and Omar must trust himself.
OP I know that my sister likes him and that she fears me.
   Omar knows that his sister likes Pablo and that she fears Omar.
OP I want what is mine and he wants what is his.
   Omar wants what is his and Pablo wants what is his.
ON I want what is mine and she wants what is hers.
   Omar wants what is his and Nora wants what is hers.
ON My plan is simple, and it is my own.
   Omar's plan is simple, and it is his own.
ON My heart sinks whenever she looks at me.
   Omar's heart sinks whenever Nora looks at him.
ON I think we should share the cost, since she likes our plan.
   Omar thinks Omar and Nora should share the cost, since she likes their plan.
ON I think that she knows we are late and that it is our fault.
   Omar thinks that Nora knows the two of them are late and that it is their fault.
OQ I think that we should share the cost of our trip.
   Omar thinks that Omar and Quinn should share the cost of Omar and Quinn's trip.
ON I think that she sees what the two of us have, and we both know it.
   Omar thinks that Nora sees what the two of them have, and they both know it.
OP I want a price that works for both of us, and I will tell him so.
   Omar wants a price that works for both of them, and Omar will tell Pablo so.
ON …I know that he's late: he is my brother, and I like neither him nor her –
   Omar knows that he's late: he is Omar's brother, and Omar likes neither him nor Nora.
ON I want you to know that your offer insults me.
   Omar wants Nora to know that her offer insults him.
ON I think you are late, and I will wait for you.
   Omar thinks Nora is late, and he will wait for her.
OQ I think you want me to go, but you won't say so yourself.
   Omar thinks Quinn wants him to go, but Quinn won't say so themselves.
ON I know she and I are friends.
   Omar knows Nora and he are friends.
OP I know that he and I want the same.
   Omar knows that Pablo and Omar want the same.
ON I know my brother said he would pay, and I trust him.
   Omar knows his brother said he would pay, and Omar trusts him.
QO I know the neighbours complain, and I want them to stop.
   Quinn knows the neighbours complain, and Quinn wants them to stop.
ON Nor do I trust her, nor have I ever trusted her.
   Nor does Omar trust Nora, nor has he ever trusted her.
ON I need not hurry, and I dare not wait.
   Omar need not hurry, and he dare not wait.
ON I, too, want the job, and I still hope to get it.
   Omar, too, wants the job, and he still hopes to get it.
ON Only I know the way!
   Only Omar knows the way.
ON i think she knows more than i do...
   Omar thinks Nora knows more than he does.
ON I am older than she is, and she knows less than I.
   Omar is older than Nora is, and she knows less than he.
OP I think Pablo is bluffing, and I know Pablo's sister.
   Omar thinks Pablo is bluffing, and Omar knows Pablo's sister.
ON I miss her, I pass her house each day, and I guess that she watches.
   Omar misses Nora, he passes her house each day, and he guesses that she watches.
ON I’m sure that she’ll agree, and I don’t mind.
   Omar is sure that Nora will agree, and he doesn't mind.
ON I undo the knot and catch the rope.
   Omar undoes the knot and catches the rope.
OQ I think that they need my help and that their pride hurts.
   Omar thinks that Quinn needs his help and that Quinn's pride hurts.
OQ I think their pride is hurt, and I like them.
   Omar thinks Quinn's pride is hurt, and he likes Quinn.
ON I cannot stay and do not want to.
   Omar cannot stay and does not want to.
ON I smile and nod.
   Omar smiles and nods.
ON I hardly know her, and I never have.
   Omar hardly knows Nora, and he never has.
OQ I think that they like it and want more of it.
   Omar thinks that Quinn likes it and wants more of it.
ON I will go, but I don't want to and am afraid.
   Omar will go, but he doesn't want to and is afraid.
QN I am sorry and have no excuse, but do not tell her.
   Quinn is sorry and has no excuse, but does not tell Nora.
OP I think that he thinks I need him and that I am weak.
   Omar thinks that Pablo thinks Omar needs him and that Omar is weak.
OQ I think that they will stay quiet and hope for the best.
   Omar thinks that Quinn will stay quiet and hope for the best.
OQ I think that they know the price and the reason.
   Omar thinks that Quinn knows the price and the reason.
OQ I think that they have my key and use it.
   Omar thinks that Quinn has his key and uses it.
ON I sometimes envy her and then feel ashamed.
   Omar sometimes envies Nora and then feels ashamed.
ON I have lost my way and need a map.
   Omar has lost his way and needs a map.
ON I myself want to go.
   Omar himself wants to go.
OP He and I agree that I owe him.
   Pablo and Omar agree that Omar owes him.
OP His silence worries me and makes me doubt myself.
   Pablo's silence worries Omar and makes him doubt himself.
ON Her silence worries me, and I ask her why.
   Nora's silence worries Omar, and he asks her why.
QO His silence worries me, and I ask him why.
   Omar's silence worries Quinn, and Quinn asks him why.
ON I do care, and I do my best.
   Omar does care, and he does his best.
OQ I think that they, too, want it.
   Omar thinks that Quinn, too, wants it.
OQ I know that they are two-faced and that they're lying to me.
   Omar knows that Quinn is two-faced and that Quinn is lying to him.
NV I saw her leave.
   Nora saw Vera leave.
NV I like her voice more than I show.
   Nora likes Vera's voice more than Nora shows.
ON I shall lose face, and I shan't forget it.
   Omar will lose face, and he won't forget it.
ON I know that she shall have her way.
   Omar knows that Nora shall have her way.
ON I want a subject without any risk in it, however dull, and I like the calm.
   Omar wants a subject without any risk in it, however dull, and he likes the calm.
"""
"""Who thinks of whom, the thought, and on the next line how it is told."""

REFUSED = [
    ("QO", "I want a price that works for both of us.", unsure.BOTH),
    ("ON", "I don't trust her but like her.", unsure.JOINED),
    ("NV", "I will not tell her sister that I know her.", unsure.CASE),
    ("ON", "I let her talk and think about dinner.", unsure.CASE),
    ("ON", "When I let her talk, I learn more.", unsure.CASE),
    ("ON", "I feel anger and worry.", unsure.JOINED),
    ("ON", 'I think "I am lost" is what she would say.', unsure.MARKS),
    ("ON", "Why would I trust her?", unsure.MARKS),
    ("ON", "I, as a nurse, want to help.", unsure.VERB),
    ("ON", "I put the book away.", unsure.TENSE),
    ("ON", "I will make her name a price.", unsure.CASE),
    ("NV", "I will make her name a price.", unsure.CASE),
    ("OQ", "I think everyone wants them to win, and they want it too.", unsure.BOTH),
    ("ON", "Let's see what she says.", unsure.BOTH),
    ("ON", "I think Nora and I want the same.", unsure.BOTH),
    ("ON", "I told you time and again.", unsure.CASE),
    ("ON", "I listen, nod, and wait.", unsure.JOINED),
    ("ON", "I know it and she knows it, but I say nothing and hope.", unsure.JOINED),
    ("ON", "I am better off than she is and know it.", unsure.JOINED),
    ("ON", "I as much as told her.", unsure.VERB),
    ("ON", "I want nothing but the truth and I fear it.", unsure.BOTH),
    ("OQ", "I think that they both want it.", unsure.BOTH),
    ("ON", "I need to see her smile again.", unsure.CASE),
    ("NV", "I need to see her smile again.", unsure.CASE),
    ("NV", "I like her more than I show.", unsure.CASE),
    ("ON", "I'd put it away.", unsure.CONTRACTION),
]


@pytest.mark.parametrize(
    ("given", "expected"), list(zip(TOLD.splitlines()[1::2], TOLD.splitlines()[2::2], strict=True))
)
def test_told_by_hand(given: str, expected: str) -> None:
    pair, _, thought = given.partition(" ")
    speaker, partner = (PEOPLE[letter] for letter in pair)
    told = retell(thought, speaker, partner)
    assert told.text == expected.strip()
    assert told.why == ""
    assert list(mistakes(told.text, {speaker.first, partner.first})) == []


@pytest.mark.parametrize(("pair", "thought", "why"), REFUSED, ids=[thought for _, thought, _ in REFUSED])
def test_what_is_not_sure_is_not_told(pair: str, thought: str, why: str) -> None:
    told = retell(thought, PEOPLE[pair[0]], PEOPLE[pair[1]])
    assert told.text == ""
    assert told.why == why


# ---- the second opinion -------------------------------------------------------------------------------------------

NOT_THIRD = re.findall(r"\w+", "i me my mine myself we us our ours ourselves you your yours yourself yourselves")
BASE = set(
    re.findall(
        r"[\w']+",
        "need want think feel know have do don't haven't am are like love hate hope fear trust believe see hear say "
        "tell ask wish doubt worry guess suspect expect owe mean understand remember prefer seem take give make keep",
    )
)
ENDED = {"is", "was", "has", "does", "doesn't", "isn't", "hasn't", "wasn't", "goes", "wants", "feels", "thinks"}
ENDED |= {f"{verb}s" for verb in BASE - {"have", "do", "don't", "haven't", "am", "are"}}
BEFORE_BARE = re.findall(
    r"\w+",
    "do does did will would can could shall should may might must make makes made let lets help helps helped see sees "
    "saw hear hears heard watch watches and or than but lest if wish though",
)


def mistakes(text: str, names: set[str]) -> Iterator[str]:
    """What is wrong with the English of a sentence in the third person, as far as single words tell."""
    if not (text[:1].isupper() and text.endswith(".") and not text.endswith("..") and text == " ".join(text.split())):
        yield "it does not begin with a capital and end with one full stop"
    if any(text.count(one) != text.count(other) for one, other in ("()", "[]", "“”")) or text.count('"') % 2:
        yield "marks do not close"
    words = re.findall(r"[\w'-]+", text.replace("’", "'"))
    for word in words:
        if word.lower().partition("'")[0] in NOT_THIRD:
            yield f"{word} is no third person"
    plain = [
        word for word in words if not (word.lower().endswith("ly") or word.lower() in ("really", "still", "never"))
    ]
    for before, (who, verb) in zip(["", *plain], pairwise(plain), strict=False):
        one = who in names or who.lower() in ("he", "she")
        bare = before.lower() in BEFORE_BARE or f"{verb} not" in text
        if one and verb in BASE and not bare:
            yield f"{who} {verb}"
        if who.lower() == "they" and verb in ENDED:
            yield f"{who} {verb}"


@pytest.mark.parametrize(
    "text",
    [
        "Pablo thinks that he need more time.",
        "Nora knows that she don't care.",
        "Nora knows that she really don't care.",
        "Omar thinks that they feels sad.",
        "Omar thinks that they still wants it.",
        "Amara want a rest.",
        "Quinn think so.",
        "Omar thinks that I am wrong.",
        "Omar thinks that you're wrong.",
        "Omar thinks of our plan.",
        "Omar is right",
        "Omar is right..",
        "omar is right.",
        "Omar says (no.",
    ],
)
def test_the_check_finds_mistakes(text: str) -> None:
    assert list(mistakes(text, {"Omar", "Nora", "Pablo", "Amara", "Quinn"}))


def test_the_written_talks_are_told_in_good_english() -> None:
    told, talks = 0, bank.authored()
    for talk in talks:
        for turn, message in enumerate(talk.turns):
            speaker, partner = talk.speaker(turn), talk.partner(turn)
            text = retell(message.thought, speaker, partner).text
            told += bool(text)
            assert list(mistakes(text, {speaker.first, partner.first})) == [], text
            assert text.startswith((speaker.first, partner.first)) or speaker.first in text
    assert told == sum(len(talk.turns) for talk in talks)


def test_everything_of_a_thought_is_kept() -> None:
    for talk in bank.authored():
        for turn, message in enumerate(talk.turns):
            text = retell(message.thought, talk.speaker(turn), talk.partner(turn)).text.casefold()
            # Verbs change their endings (carry, carries), so all but the last letter must be there.
            long = [
                word for word in re.findall(r"\w{6,}", message.thought.casefold()) if word not in ("myself", "himself")
            ]
            assert not text or all(word[:-1] in text for word in long), f"{message.thought}\n{text}"


@pytest.mark.parametrize(
    "thought", ["", "…", "(((", "I", "I I I", "you", "'d", "I'd", "her", "and and I", "my", "they're"]
)
@pytest.mark.parametrize("pair", ["OP", "ON", "NV", "OQ", "QL"])
def test_any_text_is_told_or_refused(thought: str, pair: str) -> None:
    told = retell(thought, PEOPLE[pair[0]], PEOPLE[pair[1]])
    assert bool(told.text) != bool(told.why)
    assert not told.text or re.search(r"\w", told.text)
