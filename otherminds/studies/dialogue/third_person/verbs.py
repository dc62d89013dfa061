"""Verbs: enough English to tell how a verb ends, and whether a word can be one at all."""

from __future__ import annotations

from typing import Literal

Kind = Literal["verb", "maybe", "unknown", "no"]


def words(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


_AUXILIARIES = {"am": "is", "are": "is", "have": "has", "do": "does", "were": "was"}
_NEGATED = {"don't": "doesn't", "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't"}
SINGULAR = _AUXILIARIES | _NEGATED
"""What these become after a name, he or she."""
PLURAL = {"am": "are", "was": "were", "wasn't": "weren't"}
"""What these become after they, where I was before; everything else stays."""
FIRST_PERSON = {"shall": "will", "shan't": "won't"}
"""What only I and we say of what is to come, and what others do."""

MODALS = words(
    "will would can could shall should may might must ought cannot won't wouldn't can't couldn't shan't shouldn't "
    "mightn't mustn't needn't"
)
PAST = words(
    "was wasn't had hadn't did didn't said went got made knew thought took saw came found gave told felt became "
    "left kept began brought held wrote stood heard meant met ran paid sat spoke led grew lost fell sent built "
    "understood drew broke spent rose drove bought wore chose ate won taught sold caught fought slept sought threw "
    "hid swore tore woke forgot forgave froze lent dealt dreamt learnt burnt sang sank shook shot stole stuck "
    "struck swept swam swung bore bent bit blew bound clung crept dug flew fled hung knelt leapt lit rode rang "
    "shone slid spun sprang stung wept withdrew withheld overheard overcame misunderstood mistook foresaw drank "
    "shrank stank flung slung spat strode strove trod wove undid outdid overdid redid upheld forbade foretold "
    "retold rewrote laid mislaid overtook overthrew undertook overslept outgrew leant spelt spilt spoilt"
)
PARTICIPLES = words(
    "been had done gone seen known taken given made said told thought found kept left felt heard met lost paid sent "
    "built understood spent bought worn chosen eaten won taught sold caught fought hidden forgotten forgiven broken "
    "written spoken begun brought held grown drawn driven risen fallen stolen shown thrown got meant led stood sat "
    "dealt learnt overheard misunderstood mistaken slept sought"
)
PERFECT = words(
    "been had got become decided agreed tried asked wanted promised noticed realised realized changed heard seen "
    "made said told taken given found thought known offered started stopped refused managed failed meant kept "
    "brought come gone waited worked lived planned hoped learned learnt understood spent paid sent bought chosen"
)
"""After he's and she's these speak for has; other participles might as well follow is."""
UNCHANGED = words(
    "put let set cut hit hurt cost shut quit bet spread beat cast split burst shed upset bid read misread rid lay"
)
"""The past looks like the present, so that only the words around can tell."""
_NO_PAST_IN_ED = words(
    "need feed proceed exceed succeed heed speed bleed breed embed bed seed weed deed creed greed red hatred sacred"
)
_VERBS_IN_LY = {"rely", "reply", "apply", "supply", "imply", "comply", "multiply", "fly", "ally", "rally", "bully"}
_ADJECTIVES_IN_LY = words("friendly lonely lovely likely unlikely ugly silly early daily weekly lively costly elderly")
_ADVERBS = words(
    "also always almost already anyway away both either else ever even first hardly here indeed instead just least "
    "longer maybe more most much neither never nevertheless next no not now often once only otherwise perhaps quite "
    "hence rather really seldom simply so somehow sometimes somewhat soon still then there therefore thus today "
    "together tomorrow tonight too twice very well alone though however further far long afterwards later again "
    "forever ahead apart aside yesterday outright"
)

_FUNCTION_WORDS = words(
    "a an the this that these those each every either neither some any no all both half such what which whose my "
    "your his her its our their me him them us it i he she we they you who whom one another nothing something "
    "anything everything nobody somebody anybody everybody someone anyone everyone about above across after against "
    "along among around as at before behind below beneath beside between beyond by despite down during except for "
    "from in inside into like near of off on onto out outside over past per since through throughout till to toward "
    "towards under until up upon with within without and but or nor yet so because if unless while when where "
    "whether why how than though although not more less enough other others two three four five six seven eight "
    "nine ten"
)
_NOT_VERBAL = ("ing", "ness", "tion", "sion", "ment", "ity", "ful", "ous", "able", "ible", "ship", "less", "ance")

_VERBS = words(
    "accept accuse achieve admire admit adore advise afford agree allow announce annoy apologise apologize appear "
    "apply appreciate argue arrange arrive ask assume assure attend avoid be become beg begin behave believe belong "
    "betray blame borrow bother bring build bully buy calculate carry catch celebrate choose collect come comfort "
    "compare complain comply conclude confess confirm confuse consider contain continue convince cooperate cry "
    "deceive decide declare defend delay deliver demand deny depend describe deserve destroy determine develop "
    "disagree disappear discover discuss dislike distract disturb divide do dread earn eat embarrass encourage "
    "enjoy ensure enter exaggerate examine exist expect explain explore express fail feed feel fetch fight figure "
    "find finish fit flatter follow forget forgive gather get give go grow guess happen hate have hear help "
    "hesitate hide hold hurry ignore imagine imply impress improve include increase inform insist intend invent "
    "invite irritate join justify keep kill know lack laugh learn leave lend lie listen live lose maintain make "
    "manage matter mention miss negotiate notice obey observe offend offer owe pass pay perform persuade postpone "
    "pray prefer prepare pretend prevent proceed promise propose protect prove provide provoke pursue push put quit "
    "raise realise realize reassure recall receive recognise recognize recommend reconsider refuse regret reject "
    "relax rely remain remember remind remove repay repeat replace reply resent resist resolve respect reveal ruin "
    "save say scare see seek seem sell send settle share shout sit sleep solve speak spend spoil stand stay steal "
    "struggle succeed suffer suggest suppose surrender survive suspect swear take teach tell tend thank think "
    "threaten throw tolerate treat try understand vanish wait wander want warn weep win wish withdraw wonder write "
    "yield absorb abandon acknowledge adapt adjust admonish allege amaze amuse anger assert assess await bargain "
    "bluff blush boast bow brace breathe brood brush bury calm cheat cheer cherish clash cling collapse confide "
    "confront congratulate cope crave criticise criticize crumble curse dare daydream deduce despair despise detest "
    "dismiss dodge doze droop dwell endure entertain escape evade excel fade fancy fidget flee flinch freeze frown "
    "gamble gasp giggle glance glare gloat grieve grumble hang heal hover hum itch jot kneel knit linger loathe "
    "marvel mock mourn mumble murmur mutter nag obsess overlook overhear panic perceive pity plead ponder pout "
    "praise predict presume puzzle quarrel quiver reckon recover reflect relent remark repent rescue retreat "
    "rejoice sabotage savour scoff scold scream shiver shrug shudder sigh sing sink smirk snap sneer sob squirm "
    "stammer stare startle stumble stutter sulk sweat swallow tremble twitch underestimate undo urge whine whisper "
    "wince worship yearn yell"
)
_NOUNS_TOO = words(
    "act address aim answer appeal approach attack attempt back balance bargain bet blame block book break call "
    "care cast cause challenge chance change charge check claim comment compromise concern control cook cost count "
    "cover cut damage dance deal debate decline demand desire doubt dream dress drink drive drop ease end envy "
    "escape estimate excuse exercise face favour fear fight finish fish fix focus force gain gift grasp grin guard "
    "guess guide handle harm head help hide hit honour hope hug hurt interest joke judge jump keep kick kiss lack "
    "laugh lead lie lift light like limit link list load look love mark master match matter measure mind miss "
    "mistake move name need nod note notice object offer order panic pause permit phone pick pity place plan play "
    "point praise press pressure price pride promise protest pull push question race rage reach read reason regard "
    "regret release rent repair reply report request respect respond rest result return reveal reward ride risk "
    "rule run rush sacrifice scheme search sense set shame share shift show sign sing sleep smell smile snap sort "
    "sound speed stall start state step stick stop strain stress strike struggle study support surprise suspect "
    "talk taste tease test thank tie time tire touch trade trap travel treat trick trouble trust turn twist upset "
    "use value view visit voice vote wait walk warrant waste watch wear welcome wish wonder work worry wound yield "
    "anger bluff blush boast bow brush calm cheer clash collapse cry curse dare fancy frown gamble gasp giggle "
    "glance glare grumble hum itch knit murmur puzzle quarrel quiver remark rescue retreat scream shiver shrug "
    "shudder sigh sneer sob sweat stare urge whine whisper yell tremble stumble stutter hurry despair"
)
_ADJECTIVES_TOO = words(
    "calm clear close content cool dry empty free idle lower mean near open own perfect present quiet secure "
    "separate slow smooth steady tame warm weary welcome wet better clean complete correct direct equal right "
    "narrow humble ready exact hurt upset dim dull blind bare busy"
)
_ADJECTIVES = words(
    "happy unhappy sad angry mad calm quiet silent safe sick healthy fit dead tired bored drunk sober wrong right "
    "guilty innocent free loose rich poor famous young old new big small little tall short high low near close cold "
    "cool warm hot wet dry clean dirty tidy fair square good bad nice kind mean cruel rude polite proud humble "
    "brave bold shy weak strong tough soft gentle rough stiff rigid tight numb blind deaf dumb stupid silly foolish "
    "clever smart wise dull slow quick ready busy idle lazy eager jealous nervous anxious tense sore raw true false "
    "honest loyal strange odd weird crazy insane sane normal plain pretty ugly handsome cute sweet bitter dear "
    "cheap single pregnant present absent naked bare open shut empty full whole sincere serious funny cheerful "
    "hungry thirsty sleepy certain sure different equal early late friendly lonely lovely firm flat pale red white "
    "black strict harsh light heavy thin fat sharp deep wild rare private public secret great fine worst easy "
    "simple stubborn naive unfair fake real perfect weekly daily"
)


def forms(text: str) -> frozenset[str]:
    """The forms of regular verbs that double no consonant, written as one text."""
    found: set[str] = set()
    for verb in text.split():
        stem = verb.removesuffix("e")
        found |= {verb, third(verb), f"{stem}ing", third(verb)[:-1] + "d" if third(verb)[-2] == "e" else f"{stem}ed"}
    return frozenset(found)


def third(verb: str) -> str:
    """The form after he, she or a name, of the form after I or they."""
    if verb in SINGULAR:
        return SINGULAR[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def is_past(word: str) -> bool:
    """Whether a word has the same form for every person: a past tense or a modal."""
    return word in PAST or word in MODALS or (word.endswith("ed") and word not in _NO_PAST_IN_ED)


def is_participle(word: str) -> bool:
    """Whether a word can follow has or had, and is no base form."""
    return word in PARTICIPLES or (word.endswith("ed") and word not in _NO_PAST_IN_ED)


def is_adverb(word: str) -> bool:
    """Whether a word may stand between a subject and its verb."""
    return word in _ADVERBS or (word.endswith("ly") and word not in _VERBS_IN_LY | _ADJECTIVES_IN_LY)


def is_function_word(word: str) -> bool:
    """Articles, pronouns, prepositions and the like, which are never verbs."""
    return word in _FUNCTION_WORDS


def is_base(word: str) -> bool:
    """Whether a word is known as the base form of a verb, whatever else it may be."""
    return word in _VERBS or word in _NOUNS_TOO or word in _ADJECTIVES_TOO or word in UNCHANGED


def is_adjective(word: str) -> bool:
    """Whether a word is known as an adjective, whatever else it may be."""
    return word in _ADJECTIVES_TOO or word in _ADJECTIVES


def kind(word: str) -> Kind:
    """Whether a word without a subject of its own, after and or but, is the base form of a verb."""
    if word in _FUNCTION_WORDS or is_past(word) or is_adverb(word):
        return "no"
    if word in _NOUNS_TOO or word in _ADJECTIVES_TOO or word in UNCHANGED:
        return "maybe"
    if word in _VERBS or word in SINGULAR:
        return "verb"
    known = word in _ADJECTIVES or not word.isalpha()
    return "no" if known or word.endswith(("s", *_NOT_VERBAL)) else "unknown"
