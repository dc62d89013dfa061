"""Third person: a thought in the first person becomes a sentence about whoever thought it.

`retell.retell` takes a thought through six passes. Each hands its tokens on to the next, or gives the thought up with
one of the reasons in `unsure`. Here Omar thinks of Pablo, both of whom are called he:

    I'm sure he likes me, but I fear him.

    1. tokens.split: a text becomes words, each with what stands before it
       I'm| sure| he| likes| me|, but| I| fear| him
    2. contractions.write_out: a pronoun and its verb become two words
       I am sure he likes me, but I fear him
    3. who_is_meant.mentions: which of the two a word means, and what it does in its clause
       {speaker subject} am sure {partner subject} likes {speaker object}, but {speaker subject} fear {partner object}
    4. name_or_pronoun.name_people: each of them as a name, or as a pronoun where it can be read in one way only
       Omar am sure Pablo likes Omar, but Omar fear him
    5. verb_agreement.agree: verbs follow their new subjects
       Omar is sure Pablo likes Omar, but Omar fears him
    6. tokens.join: words become a sentence again
       Omar is sure Pablo likes Omar, but Omar fears him.

What the passes lean on: `whose_or_whom` tells what her and you do in a clause (3); `mentions_so_far` remembers who has
been mentioned (4), and `bystanders` who else has; `clauses`, `pronouns` and `verbs` hold as much English as all of them
need.
"""
