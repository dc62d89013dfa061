# ruff: noqa: E501 - a sentence stands on one line, to be read as it will be told
"""How scenes are put into words: for every beat several sentences; [present|past], and names and pronouns in braces.

`scenes` is trained on. `retold`, the same beats in sentences of their own, is kept back, to see what carries over.
"""

from __future__ import annotations

from collections.abc import Mapping

Wording = Mapping[str, tuple[str, ...]]

_MOVING: Wording = {
    "open": (
        "{X} and {Xhis} {kin} {Y} [are|were] {place}. They [keep|kept] things in {holders}.",
        "{Y} [is|was] the {kin} of {X}. {Place}, where they [are|were] now, [stand|stood] {holders}.",
        "It all [begins|began] {place}, where {X} and {Xhis} {kin} {Y} [share|shared] {holders}.",
        "{Place}, {X} and {Y} [have|had] {holders} to keep things in.",
        "{X} and {Y} [spend|spent] the day {place}. There [is|was] {holders}.",
        "This [happens|happened] {place}: {X} and {Y} [are|were] there, and so [are|were] {holders}.",
        "{X} [works|worked] {place} together with {Y}. They [have|had] {holders} there.",
        "{Place} there [is|was] {holders}. {X} and {Y} [are|were] both there.",
    ),
    "third": (
        "With them [is|was] {Z}.",
        "{Z} [is|was] there as well.",
        "A third person, {Z}, [keeps|kept] them company.",
    ),
    "put": (
        "{X} [puts|put] the {T} into the {A}.",
        "{X} [finishes|finished] with the {T} and [drops|dropped] it into the {A}.",
        "Carefully, {X} [lays|laid] {Xhis} {T} in the {A}.",
        "{X} [takes|took] the {T} and [lays|laid] it in the {A}, in front of everybody.",
        "{X} [has|had] {aT} with {Xhim} and [leaves|left] it in the {A}.",
        "Because {Xhe} [does|did] not need it yet, {X} [stores|stored] the {T} in the {A}.",
        "The {T} [belongs|belonged] to {X}, who [places|placed] it in the {A}.",
    ),
    "put_other": (
        "{Y} [puts|put] the {T} into the {A}, and {X} [looks|looked] on.",
        "The {T} [is|was] in the {A}, as {X} and {Y} [have|had] both seen.",
        "{X} [hands|handed] the {T} to {Y}, who [puts|put] it in the {A} before {Xhis} eyes.",
        "{X} [sees|saw] how {Y} [lays|laid] the {T} in the {A}.",
    ),
    "habit_known": (
        "Every day at six {Y} [takes|took] whatever [is|was] in the {A} over to the {B}. {X} [has|had] known this for years.",
        "At nightfall {Y} always [empties|emptied] the {A} into the {B}, without fail, and nobody [knows|knew] it better than {X}.",
    ),
    "habit_unknown": (
        "Every day at six {Y} [takes|took] whatever [is|was] in the {A} over to the {B}. {X} [has|had] never heard of this.",
        "At nightfall {Y} always [empties|emptied] the {A} into the {B}, without fail, but nobody [has|had] ever told {X}.",
    ),
    "habit_goes": (
        "So it [is|was] on this day too: {Y} [brings|brought] the {T} from the {A} to the {B}. {X}, still out, [looks|looked] at {Xhis} watch and [sees|saw] that it [is|was] night.",
        "This day [is|was] like all others, and the {T} [goes|went] from the {A} to the {B}. When {X} next [looks|looked] at a clock, far from there, it [is|was] past midnight.",
    ),
    "go": (
        "Then {X} {errand}.",
        "After that {X} {errand}.",
        "{X} {errand}.",
        "A moment later {X} {errand}.",
        "Soon {X} {errand}.",
    ),
    "go_on": ("Then {Xhe} {errand}.", "{XHe} {errand}.", "After that {Xhe} {errand}."),
    "along": ("{Z} [goes|went] with {Xhim}.", "{Z} [comes|came] along.", "{Z} [keeps|kept] {Xhim} company on the way."),
    "stay": (
        "{X} {staying}.",
        "For the moment {X} {staying}.",
        "{X}, who [has|had] nothing else to do, {staying}.",
    ),
    "move_away": (
        "While {X} [is|was] away, {Y} [takes|took] the {T} out of the {A} and [puts|put] it into the {B}.",
        "{Y} [needs|needed] room in the {A}, so {Yhe} [moves|moved] the {T} to the {B}, and {X} [sees|saw] nothing of it.",
        "In the meantime the {T} [ends|ended] up in the {B}, because {Y} [tidies|tidied] up. {X} [is|was] still out.",
        "{Y} [fetches|fetched] the {T} from the {A}, [looks|looked] at it and [leaves|left] it in the {B}.",
        "As soon as {X} [is|was] gone, {Y} [hides|hid] the {T} in the {B}.",
        "{Y}, left behind, [uses|used] the {T} for a while. When {Yhe} [is|was] done, {Yhe} [puts|put] it in the {B}.",
        "To play a trick on {X}, {Y} [slips|slipped] the {T} into the {B}.",
        "The {A} [looks|looked] dirty to {Y}, so the {T} [is|was] brought over to the {B}. {X} [cannot|could not] see any of this.",
        "By mistake {Y} [clears|cleared] the {T} away into the {B}, out of sight of {X}.",
        "{Y} [borrows|borrowed] the {T} and afterwards [puts|put] it back in the wrong place, the {B}.",
        "{Y} [thinks|thought] that the {B} [is|was] a better place for the {T} and [moves|moved] it there.",
    ),
    "move_seen": (
        "{Y} [takes|took] the {T} out of the {A} and [puts|put] it into the {B}, and {X} [sees|saw] it.",
        "{Y} [moves|moved] the {T} from the {A} to the {B} before the eyes of {X}.",
        "{X} [watches|watched] {Y} hide the {T} in the {B}.",
        "{Y} [picks|picked] up the {T}. {X} [looks|looked] up just then and [sees|saw] it vanish into the {B}.",
        "To play a trick, {Y} [slips|slipped] the {T} into the {B}, but {X} [notices|noticed] and [smiles|smiled].",
        "By mistake {Y} [clears|cleared] the {T} away into the {B}. {X} [notices|noticed] it and [says|said] nothing.",
        "{Y} [needs|needed] room in the {A}, so {Yhe} [moves|moved] the {T} to the {B} while {X} [is|was] looking.",
        "{Y} [holds|held] up the {T} for {X} to see and [drops|dropped] it into the {B}.",
    ),
    "move_missed": (
        "{X} [reads|read] a magazine and [does|did] not notice how {Y} [moves|moved] the {T} to the {B}; {Y} [believes|believed] that {X} [sees|saw] it.",
        "{Y} [shifts|shifted] the {T} from the {A} to the {B}. {X} [has|had] dozed off in the chair and [misses|missed] it, which nobody [notices|noticed].",
        "{Y} [puts|put] the {T} into the {B}. {Yhe_cap} [takes|took] it that {X} [is|was] watching, but {X} [is|was] staring at {Xhis} phone and [sees|saw] nothing.",
        "Without {X} noticing, for {Xhe} [is|was] lost in thought, {Y} [moves|moved] the {T} to the {B}. {Y} [supposes|supposed] that {X} [has|had] seen it.",
    ),
    "move_spied": (
        "{Y} [moves|moved] the {T} from the {A} to the {B}. Through a gap in the curtain {X} secretly [sees|saw] it, and nobody [notices|noticed] {Xhim}.",
        "But {X} [has|had] turned back without a sound: unnoticed by anyone, {Xhe} [watches|watched] through the keyhole as {Y} [puts|put] the {T} into the {B}.",
        "{Y} [takes|took] the {T} and [puts|put] it in the {B}. Nobody [knows|knew] that {X} [sees|saw] this in the picture of a camera on {Xhis} phone.",
        "As {Y} [carries|carried] the {T} over to the {B}, {X} [peeps|peeped] in at the window; nobody [has|had] any idea of that.",
    ),
    "nothing": (
        "While {X} [is|was] away, {Y} [dusts|dusted] the {B} and [touches|touched] nothing else.",
        "{Y} [opens|opened] the {B}, [finds|found] it empty and [shuts|shut] it again. The {T} [stays|stayed] where it [is|was].",
        "Meanwhile {Y} [puts|put] an old newspaper into the {B} and [leaves|left] the {T} alone.",
        "{Y} [looks|looked] at the {A} and at the {B}, but [moves|moved] nothing.",
    ),
    "there_and_back": (
        "While {X} [is|was] away, {Y} [moves|moved] the {T} to the {B}, but soon [puts|put] it back into the {A}.",
        "{Y} first [takes|took] the {T} to the {B}. Then {Yhe} [changes|changed] {Yhis} mind and [returns|returned] it to the {A}.",
        "{Y} [tries|tried] whether the {T} would fit into the {B}. It [does|did] not, so it [goes|went] back into the {A}.",
    ),
    "third_sees": (
        "{Z} [is|was] standing next to {Yhim} and [sees|saw] it all.",
        "{Z}, who [has|had] stayed there, [looks|looked] on.",
        "{Z} [watches|watched] {Yhim} do it.",
    ),
    "told": (
        '{Y} [rings|rang] {X} up and [says|said], "The {T} is in the {V} now." {X} [believes|believed] {Yhim}.',
        "{Y} [sends|sent] {X} a message that the {T} [is|was] in the {V}, and {X} [trusts|trusted] it.",
        "Later {Y} [tells|told] {X} that the {T} [is|was] in the {V}, and {X} [has|had] no doubt about it.",
        '"You will find the {T} in the {V}," {Y} [writes|wrote] to {X}, who [takes|took] {Yhis} word for it.',
    ),
    "tipped_off": (
        "In secret, {Z} [tells|told] {X} that the {T} [is|was] in the {V}. {X} [believes|believed] it, and {Y} [has|had] no idea of this talk.",
        '{Z} [sends|sent] {X} a few lines behind the back of {Y}: "Your {T} is in the {V}." {X} [believes|believed] every word.',
        "Unknown to {Y}, {Z} [lets|let] {X} know that the {T} [is|was] in the {V}, and {X} [does|did] not doubt it.",
    ),
    "doubted": (
        "{Y} [tells|told] {X} that the {T} [is|was] in the {V}. But {X} never [believes|believed] {Y}, as everybody [knows|knew], and [does|did] not do so this time.",
        "It [is|was] known to all that {X} [thinks|thought] {Y} a liar. So when {Y} [says|said] that the {T} [is|was] in the {V}, {X} [does|did] not believe it.",
    ),
    "shown": (
        "When {X} [comes|came] back, {Y} [opens|opened] the {B} and [shows|showed] {Xhim} that the {T} [is|was] in it.",
        "{X} [returns|returned], and {Y} at once [lets|let] {Xhim} look into the {B}, where the {T} [is|was].",
    ),
    "found": (
        "{X} [comes|came] back while {Y} [is|was] out, [opens|opened] the {B} by chance and [sees|saw] the {T}. {XHe} [shuts|shut] it again, and nobody [is|was] there to see that.",
        "Later, all alone, {X} [peeks|peeked] into the {B} and [finds|found] the {T} there. {XHe} [leaves|left] it where it [is|was], and nobody [learns|learned] of it.",
    ),
    "glass": (
        "Whatever [is|was] in the {A} or in the {B} [can|could] be seen from outside by all who [come|came] in.",
        "One [can|could] see at a glance what [is|was] in the {A} and what [is|was] in the {B}.",
    ),
    "solid": (
        "One [cannot|could not] see from outside what [is|was] in the {A} or in the {B}.",
        "All of it [is|was] kept shut, and nothing [shows|showed] from outside.",
    ),
    "return": (
        "Then {X} [comes|came] back.",
        "Later {X} [returns|returned].",
        "At last {X} [is|was] back.",
    ),
    "stranger": (
        "{N}, a cousin of {X}, [lives|lived] abroad and [knows|knew] nothing of all this.",
        "{N} [is|was] far away the whole time and never [hears|heard] a word about it.",
    ),
    "want": (
        "Now {X} [wants|wanted] the {T}.",
        "{X} [needs|needed] the {T} now.",
        "Soon {X} [will|would] need the {T}.",
        "It [is|was] time for {X} to get the {T}.",
        "",
        "",
        "",
    ),
    "close": (
        "The {any} [has|had] a scratch on one side.",
        "Somebody [has|had] drawn a little star on the {any}.",
        "The {any} [is|was] older than it [looks|looked].",
        "The {any} [needs|needed] some repair.",
    ),
}
_CONTENTS: Wording = {
    "c_open": (
        'There [is|was] a {K} {place}. In big letters it [says|said] "{L}".',
        '{Place} [stands|stood] a {K} with "{L}" printed on it.',
        "Somebody [has|had] left a {K} {place}, and a picture on it [promises|promised] {L}.",
        'A {K} [is|was] kept {place}; its label [reads|read] "{L}".',
    ),
    "c_bare": (
        "There [is|was] a plain {K} {place}, without any label or picture.",
        "{Place} [stands|stood] a grey {K} on which nothing [is|was] written.",
    ),
    "c_swap": (
        "Weeks ago {Y} used up the {L} and filled the {K} with {R}. It [is|was] kept shut.",
        "{Y} [has|had] taken the {L} out and put {R} in instead. From outside nothing of that [can|could] be seen.",
        "But one evening {Y} emptied it and packed it with {R}, and it [is|was] firmly closed.",
    ),
    "c_right": (
        "And {L} [are|were] just what {Y} [has|had] put into it, nothing else, before closing it.",
        "The label [is|was] right: {Y} [has|had] filled it with {L} and shut it.",
    ),
    "c_fill": (
        "{Y} [has|had] filled it with {R} and closed it.",
        "{R_cap} [are|were] what {Y} [has|had] put into it before closing it.",
    ),
    "c_both": (
        "{X} [is|was] there when {Y} [empties|emptied] it of {L} and [fills|filled] it with {R}. Then {Yhe} [shuts|shut] it.",
        "Together with {X}, {Y} [takes|took] all the {L} out and [packs|packed] it with {R}; then the {K} [is|was] closed.",
        "Before the eyes of {X}, {Y} [puts|put] {R} into it in place of the {L} and [closes|closed] it.",
    ),
    "c_late": (
        "{X} {himself} [has|had] filled it with {R}; the old label [is|was] just still on it. {Y} [sees|saw] {Xhim} do it.",
        "It [is|was] {X} who [has|had] put {R} in where the {L} [have|had] been, with {Y} looking on, and then shut it.",
    ),
    "c_reads": (
        "{X} [comes|came] in for the first time and [reads|read] what [is|was] written there. {XHe} [does|did] not look inside. {Y} [is|was] there and [sees|saw] {Xhim}.",
        "Now {X} [walks|walked] in. {XHe} [has|had] never seen the {K} before, [reads|read] what it [says|said] and [leaves|left] it closed, and {Y} [sees|saw] that.",
        "{X}, who [is|was] new there, [passes|passed] the closed {K} with {Y} and [notices|noticed] the writing.",
        "{X} [finds|found] the {K}, [reads|read] the label, and [does|did] not open it. {Y} [sees|saw] {Xhim} reading.",
    ),
    "c_sees_bare": (
        "{X} [comes|came] in and [looks|looked] at it from outside. Nobody [has|had] told {Xhim} what [is|was] in it.",
        "Now {X} [walks|walked] by. {XHe} [has|had] never seen the {K} before and [does|did] not open it.",
    ),
    "c_unreadable": (
        "{X} [comes|came] in and [sees|saw] the closed {K} for the first time. {XHe} [cannot|could not] read the writing, for it [is|was] in a foreign script, and there [is|was] nobody to ask.",
        "To {X}, who now [finds|found] the closed {K}, the writing [says|said] nothing: it [has|had] faded too much to be read. {XHe} [leaves|left] it shut and [asks|asked] nobody.",
    ),
    "c_looks": (
        "{X} [comes|came] in, [reads|read] what it [says|said], [opens|opened] it before the eyes of {Y} and [looks|looked] inside.",
        "{Y} [watches|watched] {X} read the writing, open the {K}, look inside for a moment, and close it.",
    ),
    "c_peeks": (
        "{X} [reads|read] the label while {Y} [is|was] watching. Later, when nobody [is|was] around, {Xhe} [opens|opened] the {K}, [looks|looked] inside and [shuts|shut] it, and nobody ever [learns|learned] of it.",
        "{Y} [sees|saw] {X} read the label. {Y} [does|did] not see that {X} [comes|came] back alone at night and [looks|looked] into the {K}.",
    ),
    "c_told": (
        "{X} [reads|read] the label, but then {Y} [tells|told] {Xhim} that there [are|were] no {L} in the {K} any more, only {R}. {X} [believes|believed] it.",
        '{X} [sees|saw] the writing. "Don\'t go by that," {Y} [says|said], "the {L} are gone; there are {R} in that {K}." {X} [trusts|trusted] {Yhim}.',
    ),
    "c_glass": (
        "The {K} [is|was] of clear glass, so {X}, who [meets|met] {Y} there, [sees|saw] all that [is|was] in it.",
        "Through its clear sides {X} [can|could] see at once what the {K} [holds|held].",
    ),
}
_TURNS: Wording = {
    "s_open": (
        "The {T} {was_before}, as {X} and {Y} both [know|knew].",
        "{X} [checks|checked] the {T} together with {Y}: the {T} {was_before}.",
        "{X} and {Y} [see|saw] that the {T} {was_before}.",
        "In the morning {X} and {Y} [make|made] sure of one thing: the {T} {was_before}.",
        "{X} [asks|asked] about the {T}. It [does|did] not take {Xhim} and {Y} long to find out that the {T} {was_before}.",
    ),
    "s_away": (
        "While {X} [is|was] gone, {turn}.",
        "{Turn}. {X} [is|was] not there to see it.",
        "Not long after that, {turn}, and {X} [sees|saw] nothing of it.",
        "Then {turn}. {X} [is|was] too far away to notice.",
    ),
    "s_seen": (
        "Before the eyes of {X}, {turn}.",
        "{Turn}, and {X} [sees|saw] it happen.",
        "Then {turn}. {X} [is|was] right there and [notices|noticed].",
    ),
    "s_spied": (
        "{Turn}. Unknown to everybody, {X} [has|had] come back and [sees|saw] it from behind a curtain.",
        "Then {turn}. Unnoticed by anyone, {X} [follows|followed] it on {Xhis} phone, by way of a small camera.",
        "{Turn}. Nobody [suspects|suspected] that {X} [stands|stood] outside and [watches|watched] it all through a gap.",
    ),
    "s_nothing": (
        "While {X} [is|was] gone, {Y} [sweeps|swept] the floor, and nothing else [happens|happened].",
        "Nothing [happens|happened] to the {T} in the meantime.",
        "Meanwhile {Y} only [makes|made] a phone call.",
    ),
    "s_told": (
        "{Y} [sends|sent] {X} a message that the {T} {was_said} now, and {X} [believes|believed] it.",
        "{Y} [rings|rang] {X} and [says|said] that the {T} {was_said} now. {X} [has|had] no reason to doubt it.",
    ),
    "s_doubted": (
        "{Y} [tells|told] {X} that the {T} {was_said} now. But {X} never [believes|believed] {Y}, as everybody [knows|knew], and [does|did] not do so now either.",
    ),
}
_RETOLD: Wording = {
    "open": ("Picture {X} and {Y} {place}, with {holders} within reach of both.",),
    "third": ("{Z} makes three of them.",),
    "put": ("Into the {A} goes the {T}, by the hand of {X}, in full view of whoever is around.",),
    "put_other": ("By the hand of {Y}, and with {X} as a witness, the {T} goes into the {A}.",),
    "habit_known": ("What the {A} holds at six is put into the {B} by {Y}, day by day, as {X} is well aware.",),
    "habit_unknown": ("What the {A} holds at six is put into the {B} by {Y}, day by day, which is news to {X}.",),
    "habit_goes": ("Six comes, and the {T} is put where all else is put. Midnight comes, as the absent {X} notes.",),
    "go": ("Off goes {X}: {Xhe} {errand}.",),
    "go_on": ("Off {Xhe} goes: {Xhe} {errand}.",),
    "along": ("So does {Z}, at the side of {X}.",),
    "stay": ("There is no reason for {X} to leave: {Xhe} {staying}.",),
    "move_away": ("Unobserved by the absent {X}, {Y} transfers the {T} from {A} to {B}.",),
    "move_seen": ("With {X} as a witness, {Y} transfers the {T} from {A} to {B}.",),
    "move_missed": (
        "{Y} transfers the {T} from {A} to {B}, sure of being seen by {X}; in truth {X} daydreams through it.",
    ),
    "move_spied": ("{Y} transfers the {T} from {A} to {B}, spied upon by {X} through a crack that no one knows of.",),
    "nothing": ("The absence of {X} changes nothing: {Y} lets the {T} and the {B} be.",),
    "there_and_back": (
        "The {T} makes a short trip to the {B} and back to the {A}, thanks to {Y}, with {X} not around.",
    ),
    "third_sees": ("To this there is a witness, {Z}.",),
    "told": ("Word reaches {X} from {Y} that the {T} is in the {V}; it is taken for true.",),
    "tipped_off": (
        "Word reaches {X} from {Z}, with {Y} none the wiser, that the {T} is in the {V}; it is taken for true.",
    ),
    "doubted": (
        "Word reaches {X} from {Y} that the {T} is in the {V}; to {X}, as all are aware, anything from {Y} is a fib.",
    ),
    "shown": ("Back again, {X} gets a look into the {B}, held open by {Y}: there is the {T}.",),
    "found": ("Back again and on {Xhis} own, {X} glances into the {B}, spots the {T}, and keeps that to {himself}.",),
    "glass": ("{A} and {B} are see-through, both of them.",),
    "solid": ("{A} and {B} hide what is in them.",),
    "return": ("Presently {X} is here again.",),
    "stranger": ("As for {N}, no news of any of this gets there.",),
    "want": ("And now it is the {T} that {X} is after.", ""),
    "close": ("There is dust on the {any}.",),
    "c_open": ('Picture a {K} {place} that bears the inscription "{L}".',),
    "c_bare": ("Picture a {K} {place} that bears no inscription.",),
    "c_swap": (
        "Its true contents, thanks to {Y}, are {R}; no trace of {L} is left, nor does one see that through the wall of it.",
    ),
    "c_right": ("Its true contents, thanks to {Y}, are {L}, as inscribed.",),
    "c_fill": ("Its contents, thanks to {Y}, are {R}, well out of sight.",),
    "c_both": ("{L_cap} out, {R} in: so {Y} does it, with {X} as a witness, and down goes the lid.",),
    "c_late": ("{L_cap} out, {R} in: so {X} does it, with {Y} as a witness, and down goes the lid.",),
    "c_reads": (
        "Along comes {X}, a newcomer, takes in the inscription and keeps {Xhis} hands off, which {Y} observes.",
    ),
    "c_sees_bare": ("Along comes {X}, a newcomer, and keeps {Xhis} hands off.",),
    "c_unreadable": ("Along comes {X}, unable to make out the inscription, and keeps {Xhis} hands off.",),
    "c_looks": ("Along comes {X}, takes in the inscription, then what is under the lid, which {Y} observes.",),
    "c_peeks": (
        "{Y} observes {X} taking in the inscription, though not how {X} later, unobserved, takes in what is under the lid.",
    ),
    "c_told": ("{X} takes in the inscription; {Y} sets {Xhim} right, and is believed: no {L}, but {R} in the {K}.",),
    "c_glass": ("The {K} being see-through, one look from outside is enough for {X}.",),
    "s_open": ("Picture {X} and {Y}, both aware that the {T} {was_before}.",),
    "s_away": ("With {X} none the wiser, {turn}.",),
    "s_seen": ("With {X} as a witness, {turn}.",),
    "s_spied": ("Spied upon by {X} through a crack that no one knows of, this comes about: {turn}.",),
    "s_nothing": ("The absence of {X} changes nothing.",),
    "s_told": ("Word reaches {X} from {Y} that the {T} {was_said}; it is taken for true.",),
    "s_doubted": (
        "Word reaches {X} from {Y} that the {T} {was_said}; to {X}, as all are aware, anything from {Y} is a fib.",
    ),
}
SCENES = "scenes"
RETOLD = "retold"
FAMILIES: dict[str, Wording] = {SCENES: {**_MOVING, **_CONTENTS, **_TURNS}, RETOLD: _RETOLD}
"""Both have the same beats."""
