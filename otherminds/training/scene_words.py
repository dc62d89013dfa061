# ruff: noqa: E501 - a sentence stands on one line, to be read as it will be told
"""Words of everyday scenes: people with their pronouns, things, closed places to put them, places, errands, states.

A verb in brackets has two forms, [present|past]; a scene is told in one of them. In errands, {he} and {his} stand for
whoever goes.
"""

from __future__ import annotations

from dataclasses import dataclass


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in text.split(",") if word.strip())


WOMEN = _listed(
    """Abigail, Adele, Agnes, Aisha, Alana, Alma, Amina, Anika, Anita, Asha, Audrey, Aylin, Beatrice, Bianca, Bridget,
    Camila, Carla, Carmen, Cecilia, Celia, Chloe, Clara, Cora, Daisy, Daphne, Daria, Delia, Diana, Dora, Edith, Eileen,
    Elena, Elin, Eliza, Ella, Elsa, Emily, Emma, Erika, Eva, Evelyn, Faith, Fay, Fiona, Flora, Frances, Freya, Gemma,
    Gina, Giulia, Gloria, Grace, Gwen, Hazel, Heidi, Helen, Hilda, Holly, Ida, Ilaria, Irene, Iris, Ivy, Jade, Jana,
    Jenny, Joanna, Joyce, Judith, Julia, Karen, Kate, Katya, Kayla, Lara, Laura, Layla, Lena, Lila, Lily, Lina, Lisa,
    Lola, Lucy, Luna, Lydia, Mabel, Magda, Maja, Maria, Marta, Megan, Mia, Mina, Mira, Molly, Mona, Monica, Nancy,
    Naomi, Nell, Nora, Olga, Paige, Paula, Penny, Petra, Phoebe, Pia, Rachel, Rosa, Ruby, Sabine, Salma, Sandra,
    Selma, Sheila, Sofia, Sonia, Stella, Susan, Tamara, Tara, Tilda, Tina, Uma, Ursula, Viola, Violet, Wilma, Yasmin,
    Yvonne, Zara, Zoe"""
)
MEN = _listed(
    """Adrian, Ahmed, Albert, Amos, Anders, Andre, Anton, Arjun, Arlo, Arthur, Axel, Basil, Boris, Brian, Bruno, Caleb,
    Carlos, Cecil, Claude, Clive, Craig, Cyril, Damian, David, Dean, Denis, Diego, Dylan, Edgar, Eli, Elias, Elmer,
    Eric, Ernest, Ethan, Evan, Ezra, Felix, Frank, Gabriel, George, Gerald, Graham, Guido, Hank, Harold, Hassan,
    Henry, Hugo, Ian, Igor, Imran, Isaac, Ivan, Jack, Jacob, James, Jared, Jason, Jerome, Joel, Jorge, Joseph, Julian,
    Karim, Karl, Keith, Kenji, Kevin, Klaus, Lars, Leo, Leon, Leroy, Lionel, Lloyd, Lorenzo, Louis, Lucas, Luis,
    Malik, Marco, Mario, Martin, Matteo, Max, Mehmet, Michael, Miguel, Miles, Mohan, Nate, Neil, Nigel, Nils, Norman,
    Olaf, Oscar, Otto, Pablo, Patrick, Paul, Pedro, Peter, Philip, Quentin, Rafael, Ralph, Ray, Richard, Robert,
    Rohan, Roland, Roy, Rupert, Ryan, Saul, Sean, Seth, Shane, Silas, Simon, Stan, Stefan, Steve, Ted, Theo, Tim, Toby,
    Tony, Victor, Wade, Walter, Werner, Xavier, Yusuf, Zack"""
)
THINGS = _listed(
    """key, letter, ring, ticket, passport, notebook, wallet, phone, camera, ball, doll, teddy bear, kite, whistle, torch,
    candle, spoon, knife, corkscrew, bread knife, ladle, whisk, sandwich, apple, orange, pear, banana, cake, muffin,
    chocolate bar, cookie, lollipop, lemon, onion, cheese, pie, yoghurt, medal, trophy, coin, stamp, postcard, photo,
    map, compass, watch, bracelet, necklace, brooch, hat, cap, scarf, glove, sock, slipper, umbrella, belt, tie,
    hairbrush, comb, mirror, lipstick, razor, toothbrush, soap, towel, sponge, hammer, screwdriver, drill, saw, wrench,
    paintbrush, tape measure, ruler, pencil, pen, marker, stapler, calculator, charger, memory stick, remote control,
    battery, light bulb, fuse, headset, microphone, drumstick, flute, violin bow, songbook, recipe, diary, comic,
    puzzle, dice cup, chess piece, marble, toy car, toy boat, skipping rope, racket, goggles case, lunch box, thermos,
    leash, dog biscuit, collar, trowel, watering can, seed packet, thermometer, bandage, fossil, shell, feather,
    magnet, telescope, stopwatch, badge, invitation, contract, receipt, gift voucher, library card, sketchbook"""
)
HOLDERS = _listed(
    """box, drawer, cupboard, chest, tin, suitcase, trunk, wardrobe, cabinet, locker, safe, sideboard, crate, biscuit tin,
    bread bin, toolbox, sewing box, shoe box, hat box, handbag, rucksack, backpack, satchel, briefcase, gym bag,
    school bag, laundry bag, canvas bag, leather bag, cardboard box, wooden box, desk drawer, bottom drawer, top drawer,
    filing cabinet, medicine cabinet, corner cabinet, broom cupboard, linen cupboard, wall cupboard, larder, fridge,
    freezer, picnic hamper, treasure chest, jewellery box, piano stool, clay pot, sugar bowl, teapot, cookie jar,
    mail bag, big envelope, folder, cash box, tea caddy, pencil case, tool bag, sports bag, hollow book, milk churn,
    metal bin, first-aid box, button tin, hall drawer, music case"""
)
CLEAR = _listed(
    """glass jar, glass box, glass cabinet, glass bottle, plastic tub, display case, fish tank, net bag, wire basket, clear
    pouch, plastic box, show case, string bag, glass bowl"""
)
"""What one can see into."""
SITES = _listed(
    """shed, garage, barn, tent, caravan, van, car, cellar, attic, boathouse, hut, stable, summer house, chapel"""
)
"""Where things are kept out of doors; two of them stand on one piece of land."""
GROUNDS = _listed(
    """on a farm, on a camp site, at home, in a mountain village, on an island, on the grounds of a castle, at a riding
    school, in a fishing village, on an old estate, in a scout camp"""
)
PLACES = _listed(
    """at home, at the office, in a holiday flat, in a small hotel, in a village school, in a music school, in a hospital,
    in a dentist's practice, in a museum, in a library, in a bookshop, in a flower shop, in a tailor's workshop, in a
    bicycle workshop, in a restaurant, in a café, on a farm, on a houseboat, on a camp site, in a youth hostel, in a
    sports club, in a theatre, in a film studio, in a laboratory, in a fire station, in a boarding house, in a garden
    centre, in a pottery, in a carpenter's workshop, in a toy shop, at a railway station, in a mountain hut, in a
    kindergarten, in a nursing home, in a community hall, in a chess club, in a radio station, in a bakery, in a
    stable, in a weather station"""
)
ERRANDS = (
    "[goes|went] off to the post office with a parcel",
    "[walks|walked] down to the station to meet a friend",
    "[drives|drove] into town to see the dentist",
    "[is|was] called away to the telephone in another building",
    "[goes|went] out for a long run along the river",
    "[takes|took] the dog to the park",
    "[cycles|cycled] to the chemist's for some cough syrup",
    "[leaves|left] to pick up {his} children",
    "[goes|went] swimming at the public baths",
    "[has|had] to go to a meeting across town",
    "[hurries|hurried] off to catch the noon bus",
    "[steps|stepped] out to buy milk at the corner shop",
    "[goes|went] upstairs to take a nap behind a closed door",
    "[goes|went] to bed early and [sleeps|slept] soundly in another room",
    "[takes|took] a long shower on the floor above",
    "[heads|headed] off to a football match",
    "[goes|went] round the corner to have {his} hair cut",
    "[leaves|left] for an evening class",
    "[goes|went] to fetch the newspaper from the kiosk in the square",
    "[drives|drove] {his} aunt to the airport",
    "[goes|went] to the bank before it [closes|closed]",
    "[walks|walked] over to a neighbour's house for a cup of tea",
    "[goes|went] to choir practice on the other side of town",
    "[is|was] sent to fetch firewood from behind the hill",
    "[leaves|left] to visit {his} grandmother for the afternoon",
    "[goes|went] out to post a card and [stays|stayed] out for an hour",
    "[rushes|rushed] off because {his} bicycle [has|had] been stolen",
    "[goes|went] down to the laundry in the basement",
    "[takes|took] the train to another city for the day",
    "[goes|went] to lunch in the canteen two streets away",
    "[leaves|left] to look for {his} runaway cat",
    "[goes|went] to the hospital to see a cousin",
    "[slips|slipped] out to smoke a pipe by the far gate",
    "[goes|went] to return some books to the library",
    "[takes|took] the rubbish to the tip outside town",
    "[goes|went] to a birthday party at a friend's place",
    "[leaves|left] for {his} driving lesson",
    "[goes|went] to the market to buy fish",
    "[walks|walked] to church to light a candle",
    "[goes|went] out to the far field to mend a fence",
    "[leaves|left] to have {his} eyes tested",
    "[goes|went] off to teach a lesson in another wing",
    "[is|was] asked to help a driver whose van [is|was] stuck in the mud",
    "[sets|set] out to climb the lookout tower",
)
STAYING = (
    "[stays|stayed] where {he} [is|was] and [watches|watched]",
    "[does|did] not go anywhere and [keeps|kept] {his} eyes open",
    "[sits|sat] down right beside it all and [looks|looked] on",
    "[leans|leaned] on the wall, looking on",
    "[pours|poured] {himself} a glass of water and [keeps|kept] looking",
    "[rests|rested] on a stool, with {his} eyes on the room",
)
ASIDES = (
    "Somewhere a radio [is|was] playing.",
    "It [is|was] a windy afternoon.",
    "The clock on the wall [has|had] stopped.",
    "A fly [buzzes|buzzed] against the window.",
    "Nobody [has|had] eaten yet.",
    "The floor [creaks|creaked] a little.",
    "Outside, a lorry [goes|went] by.",
    "It [is|was] nearly the weekend.",
    "The air [smells|smelled] of soap.",
    "A bell [rings|rang] far off.",
    "The light [is|was] good at that hour.",
    "Somebody next door [is|was] laughing.",
    "The week [has|had] been a long one.",
    "Two pigeons [sit|sat] on the roof.",
    "It [has|had] been raining since the morning.",
    "A calendar from last year [hangs|hung] by the door.",
)
SLEEPY = tuple(errand for errand in ERRANDS if "nap" in errand or "sleeps" in errand)
"""Nobody is told anything or sees anything in secret meanwhile."""
KIN = _listed(
    "friend, neighbour, colleague, cousin, classmate, flatmate, partner, guest, old friend, team mate, helper"
)
KEEPERS = _listed(
    """box, tin, jar, bag, sack, carton, can, packet, canister, barrel, tub, bottle, parcel, pouch, crate, drum, basket with
    a lid, flask, tube, casket"""
)
CLEAR_KEEPERS = ("jar", "bottle", "flask", "tube", "tub", "box")
UNSEEN = ("meeting", "ferry", "alarm", "bridge", "road to the lake")
"""What nobody can spy on from behind a curtain."""
GOODS = _listed(
    """pencils, biscuits, buttons, nails, screws, marbles, raisins, nuts, tea bags, coffee beans, candles, ribbons, stamps,
    coins, keys, beads, shells, pebbles, sweets, chocolates, batteries, light bulbs, plasters, sponges, socks, gloves,
    toy bricks, toy soldiers, crayons, paper clips, rubber bands, envelopes, photographs, old letters, tulip bulbs,
    lentils, beans, noodles, dice, playing cards, hair clips, needles, corks, dominoes, matches, spices, cough drops,
    fish hooks, tennis balls, feathers, acorns, badges, walnuts, clothes pegs, drawing pins, postcards, bottle tops,
    dried figs, olives, pearls, balloons, table mats, seeds, pine cones, sugar lumps, crackers, toothpicks, napkins"""
)
"""All of them plural, so that one verb fits."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that is one way and can come to be another, by somebody's hand or by itself; and what one does then.

    Only what nobody reckons with: soup goes cold, as all know who are away. "-": it never does so by itself.
    """

    thing: str
    before: str
    after: str
    by_hand: str
    by_itself: str
    do_before: str
    do_after: str


TURNS = tuple(
    Turn(*(part.strip() for part in line.split(";")))
    for line in """
oven;is on;is off;{Y} [switches|switched] the oven off;a fuse [blows|blew], and the oven [goes|went] off;put the cake in at once;switch it on first
front door;is locked;is unlocked;{Y} [unlocks|unlocked] the front door;the worn lock [springs|sprang] open, so the front door [is|was] unlocked;take out a key;push it open without a key
bath;is full;is empty;{Y} [pulls|pulled] the plug, and the bath [runs|ran] empty;the plug [comes|came] loose, and the bath [runs|ran] empty;get in;run the water first
bicycle tyre;is flat;is pumped up;{Y} [pumps|pumped] the bicycle tyre up;-;look for a pump;ride off at once
milk;is fresh;is sour;{Y} [stirs|stirred] lemon into the milk, which [makes|made] it sour;-;drink it;pour it away
bridge;is open;is closed;{Y} [closes|closed] the bridge with a barrier;a landslide [comes|came] down, and the bridge [is|was] closed;cross it;take the long way round
kettle;is empty;is full;{Y} [fills|filled] the kettle to the brim;-;fill it;switch it on without filling it
coffee;is unsweetened;is sweet;{Y} [stirs|stirred] honey into the coffee, so that it [is|was] sweet;-;reach for the sugar;leave the sugar alone
boat;is tied up;is adrift;{Y} [unties|untied] the boat, and it [drifts|drifted] away;the rope [snaps|snapped], and the boat [drifts|drifted] away;climb aboard from the jetty;swim after it
shirt;is clean;is stained;{Y} [spills|spilled] ink on the shirt;a pot of ink [tips|tipped] over by itself and [stains|stained] the shirt;wear it to the wedding;wash it first
printer;is broken;is working;{Y} [repairs|repaired] the printer;-;go to the copy shop;print the pages right there
ice rink;is frozen;is melted;{Y} [turns|turned] the cooling off, and the ice rink [melts|melted];in the sudden warmth the ice rink [melts|melted];put on skates;leave the skates at home
gate;is shut;is open;{Y} [opens|opened] the gate wide;the wind [blows|blew] the gate open;leave the sheep alone;hurry after the sheep
plant;is dry;is watered;{Y} [waters|watered] the plant;rain [comes|came] in and [waters|watered] the plant;fetch the watering can;leave the watering can where it is
car;is at the garage;is in the drive;{Y} [brings|brought] the car from the garage and [parks|parked] it in the drive;-;walk to the garage;walk out to the drive
alarm;is set for six;is set for nine;{Y} [sets|set] the alarm to nine;-;expect to be woken at six;expect to be woken at nine
swimming pool;is warm;is freezing;{Y} [lets|let] in freezing water from the stream, so that the swimming pool [is|was] freezing;the heating [fails|failed], and the swimming pool [is|was] freezing;jump in;stay out of the water
violin;is out of tune;is in tune;{Y} [tunes|tuned] the violin;-;tune it first;play at once
road to the lake;is clear;is blocked;{Y} [blocks|blocked] the road to the lake with a trailer;a tree [falls|fell] and [blocks|blocked] the road to the lake;drive to the lake by that road;drive another way
horse;is in the stable;is in the meadow;{Y} [leads|led] the horse out to the meadow;the horse [breaks|broke] loose and [runs|ran] to the meadow;take the saddle to the stable;take the saddle to the meadow
meeting;is at ten;is at noon;{Y} [puts|put] the meeting off until noon;the computer [shifts|shifted] the meeting to noon;come at ten;come at noon
computer;is locked;is unlocked;{Y} [unlocks|unlocked] the computer;-;ask for the password;start typing at once
flowers in the vase;are fresh;are wilted;{Y} [holds|held] the flowers over a heater until they [are|were] wilted;-;give them to a guest;throw them away
lamp in the hall;is on;is off;{Y} [turns|turned] the lamp in the hall off;the bulb [dies|died], and the lamp in the hall [is|was] off;turn it off before bed;go straight to bed
pool table;is free;is taken;{Y} [lets|let] a group of guests take the pool table;a group of guests [comes|came] in and [takes|took] the pool table;bring the cues along;find something else to do
ferry;is running;is cancelled;{Y} [cancels|cancelled] the ferry;because of a storm the ferry [is|was] cancelled;walk down to the pier;stay at home
""".strip().splitlines()
)
