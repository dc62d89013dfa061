"""Words: large stocks of names, rooms, things and containers, so that no word comes to stand for an answer."""

from __future__ import annotations

import random
from collections.abc import Sequence


def _stock(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _stock(
    """
    Abigail Adele Adrian Agnes Ahmed Aisha Alana Albert Alice Alina Alma Amber Amina Amos Amy Anders Andre Angela
    Anika Anita Anton April Ariel Arjun Arlo Arthur Asha Astrid Audrey August Ava Axel Aylin Barbara Basil Beatrice
    Bella Ben Bianca Boris Brenda Brian Bridget Bruce Bruno Caleb Camila Carla Carlos Carmen Carol Cecil Celia
    Charles Chloe Clara Claude Clive Cora Craig Cyril Daisy Damian Dan Daphne Daria David Dawn Dean Deborah Delia
    Denis Diana Diego Dina Dora Doris Dylan Edgar Edith Eileen Elena Eli Elias Elin Eliza Ella Ellen Elmer Elsa Emil
    Emily Emma Enid Eric Erika Ernest Esther Ethan Eva Evan Evelyn Ezra Faith Fatima Fay Felix Fiona Flora Frances
    Frank Freya Gabriel Gail Gemma George Gerald Gina Giulia Gloria Grace Graham Greta Guido Gwen Hana Hank Hannah
    Harold Harriet Hassan Hazel Heidi Helen Henry Hilda Holly Hope Hugo Ian Ida Igor Ilse Imran Ines Ingrid Irene
    Iris Irma Isaac Ivan Ivy Jack Jacob Jade James Jana Jane Janet Jared Jasmin Jason Jean Jenny Jerome Jesse Joan
    Joanna Joel John Jonas Jorge Joseph Joyce Judith Julia Julian June Kai Karen Karim Karl Kate Katya Kayla Keith
    Kenji Kevin Kim Kiran Klaus Kofi Lana Lara Lars Laura Layla Lea Leah Lena Leo Leon Leroy Lila Lily Lina Linda
    Lionel Lisa Lloyd Lois Lola Lorenzo Louis Lucas Lucia Lucy Luis Luna Lydia Mabel Magda Maja Malik Marco Maria
    Marie Mario Mark Marta Martin Mary Matteo Maud Maurice Max May Megan Mehmet Melvin Mia Michael Miguel Miles Mina
    Mira Miriam Mohan Molly Mona Monica Muriel Nadia Nancy Naomi Nate Neil Nell Nigel Nils Nina Nora Norman Odette
    Olaf Olga Omar Opal Oscar Otto Pablo Paige Pam Patrick Paul Paula Pedro Penny Percy Peter Petra Philip Phoebe
    Pia Piotr Quentin Rachel Rafael Ralph Ravi Ray Rebecca Rene Rhoda Richard Rita Robert Robin Rohan Roland Rosa
    Rose Roy Ruby Rudi Rupert Ruth Ryan Sabine Sally Salma Sam Sandra Sara Saul Sean Selma Seth Shane Sheila Shirin
    Sibyl Silas Silvia Simon Sofia Sonia Stan Stefan Stella Steve Sue Susan Sven Sybil Tamara Tanya Tara Ted Teresa
    Theo Thelma Tilda Tim Tina Toby Tom Tony Tracy Trudy Uma Ursula Valerie Vera Victor Viola Violet Vivian Wade
    Walter Wanda Wendy Werner Wilma Xavier Yara Yasmin Yusuf Yvonne Zack Zara Zoe
    """
)
ROOMS = _stock(
    """
    kitchen garden attic cellar study porch bedroom bathroom living_room dining_room hallway garage workshop office
    library lounge basement playroom pantry laundry closet hall den sunroom nursery studio back_yard front_yard
    patio balcony staircase conservatory greenhouse barn stable shed classroom gym canteen cloakroom storeroom lobby
    foyer waiting_room meeting_room reading_room guest_room music_room sewing_room boiler_room staff_room tent cabin
    chapel bakery shop surgery laboratory archive gallery corridor loft veranda larder scullery parlour
    """
)
WAITING = _stock(
    """
    waiting_room corridor lobby foyer lounge hallway garden courtyard cafeteria
    """
)
THINGS = _stock(
    """
    apple apricot asparagus banana beans beets belt blueberries book boots bottle bracelet broccoli brush button
    cabbage camera candle cap carrot cauliflower celery chain cherries chocolate clock coat coin comb compass cookie
    corn cucumber cup diary dice doll dress eggplant envelope eraser fan flute fork garlic glove gloves grapes
    grapefruit green_pepper guitar_pick hammer hat honey jacket jam jeans jewel juice kettle key kite knife ladle
    lamp lemon lettuce lighter lime magnet map marble mask medal melon milk mirror mug mushroom nail napkin necklace
    needle notebook nut onion orange padlock paintbrush pajamas pants parcel parsley passport peach pear peas pen
    pencil persimmon phone photo pin pineapple pipe plate plum poster potato pumpkin purse puzzle radish razor
    receipt recipe ribbon ring rope ruler saw scarf scissors screw sealing_wax shampoo shell shirt shoes skirt
    slacks slippers soap socks spinach sponge spoon stamp stapler stone stopwatch strawberry string suit sunglasses
    sweater sweet_potato t-shirt tangerine tape tea telescope thread ticket tie tomato toothbrush torch towel
    toy_car trousers turnip umbrella underclothes undershirt vase wallet watch watermelon whistle wool yam yo-yo
    zucchini
    """
)
COLOURS = _stock(
    """
    red blue green yellow black white pink purple brown grey orange silver golden striped wooden metal
    """
)
HOLDERS = _stock(
    """
    bag barrel basin basket bin bottle bowl box bucket cabinet can canister carton case casket chest coffer
    container crate cupboard dish drawer envelope flask folder hamper jar jug kettle locker oven pan pantry pocket
    pot pouch sack safe satchel shelf suitcase tin tray treasure_chest trunk tub tube urn vase wardrobe
    """
)


def draw(rng: random.Random, stock: Sequence[str], number: int, taken: set[str]) -> list[str]:
    """So many words of a stock, none of them taken; they are taken now."""
    found: list[str] = []
    while len(found) < number:
        word = stock[int(rng.random() * len(stock))]
        if word not in taken:
            taken.add(word)
            found.append(word)
    return found


def containers(rng: random.Random, number: int, taken: set[str], *, compound: bool) -> list[str]:
    """So many containers; compound ones share nouns and colours, so that a noun alone does not name one."""
    if not compound:
        return draw(rng, HOLDERS, number, taken)
    colours = rng.sample(COLOURS, min(len(COLOURS), rng.randint(2, 6)))
    needed = (number + sum("_" in word for word in taken)) // len(colours) + 1
    nouns = rng.sample(HOLDERS, max(rng.randint(3, 6) + number // 3, needed))
    free = [word for colour in colours for noun in nouns if (word := f"{colour}_{noun}") not in taken]
    found = rng.sample(free, number)
    taken.update(found)
    return found
