/** The organizations and events of the demo world. Days are relative to today; the past is negative. */

/** The kind of place an event is; each story fits some of them. */
export type DemoEventPlaceKind = "venue" | "online" | "games";

type DemoOrganization = {
  slug: string;
  name: string;
  description: string;
  website: string;
  /** The two colors of its logo. */
  colors: readonly [string, string];
};

type DemoEmergency = { number: string; contact: string; phone: string | null };

export type DemoEvent = {
  slug: string;
  organization: string;
  setting: DemoEventPlaceKind;
  /** `{year}` is replaced by the year in which the event starts. */
  name: string;
  description: string;
  website: string | null;
  contactEmail: string;
  /** The contact to call in danger; null where people are in many places. */
  emergency: DemoEmergency | null;
  codeOfConduct: string;
  startDay: number;
  endDay: number | null;
  isActive: boolean;
  colors: readonly [string, string] | null;
  /** When reports came in: first day, last day and their number. */
  reports: readonly { from: number; to: number; count: number }[];
};

export const DEMO_ORGANIZATIONS: readonly DemoOrganization[] = [
  {
    slug: "northlight",
    name: "Northlight Open Source Foundation",
    description:
      "A small foundation that brings people together who write, translate, test and look after free software. We run one summit a year and an online community all year round.",
    website: "https://northlight.example.org",
    colors: ["#0f5e73", "#f2b84b"],
  },
  {
    slug: "juniper-games",
    name: "Juniper Games Society",
    description:
      "A club for board games, role-playing and everything with dice. Open evenings every week, a league from autumn to spring, and a weekend in the countryside.",
    website: "https://juniper-games.example.org",
    colors: ["#4b3b8f", "#7fc8a9"],
  },
];

const SUMMIT_RULES = `Everybody who comes to the summit helps to make it a place where all of us can learn: speakers, volunteers, sponsors, guests and organizers alike.

## What we ask of you
Be kind, and give others room. Ask before you touch, before you take a picture, and before you assume. Accept a no the first time. Use the names and pronouns that people give you.

## What has no place here
Insults and slurs, threats, unwanted attention or touching, following somebody around, pictures or recordings against somebody's will, and shutting people out because of who they are. "It was a joke" does not change what it did.

## Red lanyard, no picture
Whoever wears a red lanyard is not to be photographed, filmed or recorded. Talks are filmed from the front only.

## If something happens
Tell us, also when you are not sure whether it counts. You can do so here, at any hour, with or without your name, or in person at the desk with the blue lamp. We listen first. We tell you what we are going to do before we do it, and nobody hears of it who does not need to.

## What we may do
Talk with people, ask them to stop, ask them to leave an activity or the summit, and decide who is welcome next time. If you are in danger, call the emergency services first.`;

const ONLINE_RULES = `These rules hold in the chat, on the mailing lists, in the issue trackers and in our calls.

Talk about the work, and not about the person. Assume that the other one means well, and say so when it did not feel like it. Newcomers' questions are welcome, also for the third time.

Don't post what somebody told you in private. Don't publish where people live or work. Don't record a call without asking everyone in it.

Somebody who is asked to stop stops. Whoever does not may be muted, or lose access for a while or for good.

Reports reach the response team, and nobody else. We answer within a day.`;

const GAMES_RULES = `At our tables everybody plays on the same side in one respect: all of us want to come back next week.

At the table
Explain the rules without sighing. Lose, and win, in a way that you would like to see in others. Role-playing groups agree beforehand on what the story is not about; each player may stop a scene at any moment and needs to give no reason.

Around the table
Ask before you touch people, their dice, their figures or their phones. No comments on bodies. Children are welcome until eight in the evening, and are looked after by the adults who brought them.

If something is wrong
Speak to anybody with a green badge, or send a report here. You may leave out your name. Someone of the team reads it on the same day, on a weekend too.

We would rather hear of ten small things than miss one that matters.`;

const SUMMIT_EMERGENCY: DemoEmergency = {
  number: "112",
  contact: "Venue security at the desk with the blue lamp, by the main entrance, day and night.",
  phone: null,
};

// The phone number is of a range that is reserved for fiction.
const GAMES_EMERGENCY: DemoEmergency = {
  number: "999",
  contact: "Anybody with a green badge, or the duty helper at the check-in table.",
  phone: "+44 20 7946 0018",
};

export const DEMO_EVENTS: readonly DemoEvent[] = [
  {
    slug: "northlight-summit",
    organization: "northlight",
    setting: "venue",
    name: "Northlight Summit {year}",
    description:
      "Four days of talks, workshops and long conversations at the old customs house by the harbour. About nine hundred guests.",
    website: "https://northlight.example.org/summit",
    contactEmail: "care@northlight.example.org",
    emergency: SUMMIT_EMERGENCY,
    codeOfConduct: SUMMIT_RULES,
    startDay: -1,
    endDay: 2,
    isActive: true,
    colors: ["#0f5e73", "#e4572e"],
    reports: [
      { from: -75, to: -2, count: 22 },
      { from: -1, to: 0, count: 43 },
    ],
  },
  {
    slug: "northlight-summit-last-year",
    organization: "northlight",
    setting: "venue",
    name: "Northlight Summit {year}",
    description: "Last year's summit, in the concert hall on the hill.",
    website: null,
    contactEmail: "care@northlight.example.org",
    emergency: SUMMIT_EMERGENCY,
    codeOfConduct: SUMMIT_RULES,
    startDay: -392,
    endDay: -389,
    isActive: false,
    colors: ["#2a3d66", "#c9d6df"],
    reports: [
      { from: -424, to: -393, count: 14 },
      { from: -392, to: -389, count: 56 },
      { from: -388, to: -360, count: 12 },
    ],
  },
  {
    slug: "northlight-online",
    organization: "northlight",
    setting: "online",
    name: "Northlight Online Community",
    description: "Our chat, mailing lists, issue trackers and monthly calls.",
    website: "https://community.northlight.example.org",
    contactEmail: "care@northlight.example.org",
    emergency: null,
    codeOfConduct: ONLINE_RULES,
    startDay: -700,
    endDay: null,
    isActive: true,
    colors: null,
    reports: [
      { from: -424, to: -3, count: 54 },
      { from: -2, to: 0, count: 4 },
    ],
  },
  {
    slug: "juniper-league",
    organization: "juniper-games",
    setting: "games",
    name: "Juniper League, season {year}",
    description:
      "A season of weekly league evenings and open tables, Thursdays and Saturdays in the old school.",
    website: "https://juniper-games.example.org/league",
    contactEmail: "green-badges@juniper-games.example.org",
    emergency: GAMES_EMERGENCY,
    codeOfConduct: GAMES_RULES,
    startDay: -250,
    endDay: 40,
    isActive: true,
    colors: ["#4b3b8f", "#f6d55c"],
    reports: [
      { from: -255, to: -4, count: 74 },
      { from: -3, to: 0, count: 5 },
    ],
  },
  {
    slug: "juniper-weekend",
    organization: "juniper-games",
    setting: "games",
    name: "Juniper Weekend in the Hills {year}",
    description:
      "Three days of games in a youth hostel with a view. Sign-up is open; helpers meet every second week.",
    website: "https://juniper-games.example.org/weekend",
    contactEmail: "green-badges@juniper-games.example.org",
    emergency: GAMES_EMERGENCY,
    codeOfConduct: GAMES_RULES,
    startDay: 44,
    endDay: 46,
    isActive: true,
    colors: ["#2f7d4f", "#f4f1de"],
    reports: [{ from: -60, to: -1, count: 16 }],
  },
];

/** Locations of incidents, by setting. */
export const INCIDENT_LOCATIONS: Readonly<Record<DemoEventPlaceKind, readonly string[]>> = {
  venue: [
    "Registration desk",
    "Hall B, left aisle",
    "Corridor outside Room 3",
    "Sponsor area, by the windows",
    "Workshop room 2",
    "Lunch queue, second floor",
    "Roof terrace",
    "Speakers' lounge",
    "Stairs between the halls",
    "Evening social, near the bar",
    "Cloakroom",
    "Tram stop across from the venue",
    "Room 5, back rows",
    "Contributor room",
    "Poster wall",
    "Main entrance",
  ],
  online: [
    "#general",
    "#help",
    "#introductions",
    "Monthly video call",
    "Voice channel",
    "Direct messages",
    "Issue tracker",
    "Announce mailing list",
    "Translators' room",
    "Wiki talk page",
    "Release planning call",
    "#off-topic",
  ],
  games: [
    "Table 7",
    "Table 12, by the stage",
    "Games library",
    "Painting corner",
    "Big hall",
    "Snack bar",
    "Tournament desk",
    "Role-playing room upstairs",
    "Check-in table",
    "Yard behind the hall",
    "Car park",
    "Quiet room",
    "Kitchen",
    "Helpers' chat group",
  ],
};
