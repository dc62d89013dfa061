"""How notebooks show what is public: small tables and pictures."""
