import { IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Safety of a place or an activity. */
export const SAFETY_STORIES: readonly ReportStory[] = [
  {
    kind: "safety",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "high"],
    titles: [
      "Emergency exit [blocked|blocked by boxes|behind stacked chairs]",
      "[Boxes|Stacked chairs] in front of [an emergency exit|the fire door]",
      "[Second way out|Fire exit] [full of boxes|can't be opened|not lit]",
      "If there were a fire in [this room|the upper room]",
      "[Tables|Chairs|A banner] in the [escape route|way of the fire door]",
    ],
    description:
      "[The emergency exit|The fire door|The second way out] is blocked by [boxes|stacked chairs|a banner and two tables]. [I moved what I could.|I told someone in a crew shirt an hour ago.|It was the same yesterday.] [The room holds far more people than the one door can take.|The sign above it does not light up either.|No hurry for me, but please before tonight.]",
    evidence: ["photo", "plan"],
    thing: true,
    resolutionNotes: [
      "Cleared at once, photo taken afterwards. It is on the morning round now.",
      "The house moved its chairs and mended the sign. We check each door before we open.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["low", "low", "medium"],
    titles: [
      "[Loose cable|Cable across the walkway]: [somebody fell|people trip]",
      "[Tripped over|Fell over] [a cable|a loose mat|an edge of the stage]",
      "[Nearly|Almost] everyone stumbles [at the stage|by the coffee]",
      "[Mat|Step] that [people fall over|one can't see]",
    ],
    description:
      "There is [a cable across the walkway|a mat that slides|a step without a mark], and [I have seen three people stumble|an elderly guest fell, and got up with help|I fell myself]. [My knee is a bit blue. No more than that.|Someone has put a chair over it, which is not better.|It would take two strips of tape.]",
    evidence: ["photo"],
    thing: true,
    resolutionNotes: [
      "Taped down and marked. [The technician apologised.|First aid looked after the knee.]",
      "Cable moved to the ceiling, and the mat is gone.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "medium", "high"],
    titles: [
      "[Nuts|Allergens] not [marked|labelled] at [the buffet|lunch|the snack bar]",
      "[Allergic reaction|Close call with an allergy] [after lunch|at the buffet]",
    ],
    description:
      '[The labels were on the wrong dishes.|There were no labels at all.|The "vegan" cake had nuts in it, which nobody had written down.] [I am allergic and noticed after one bite; I had my medicine with me.|A friend had a reaction, mild, and is better now.|I asked at the counter, and they guessed.] [Please check it before dinner.|The caterer was kind and overworked.]',
    evidence: ["photo"],
    thing: true,
    spots: ["Lunch, second floor", "Buffet", "Snack bar"],
    investigationNotes: [
      "Took the dish off the table and went to see the caterer. [They are checking all labels.|They did not know of the nuts either.]",
    ],
    resolutionNotes: [
      "Every dish has a label now, and somebody checks them before the doors open.",
      "The caterer has it in writing, and we keep a list of ingredients at the desk. The guest is well.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["low", "medium"],
    titles: [
      "[Room|Hall] [dangerously crowded|far too full] and [hot|without air]",
      "[Somebody fainted|A guest felt faint] in [a crowded room|the heat]",
      "[Too many people|Twice too many] in [the small room|the upper room]",
    ],
    description:
      "[People stood in all the aisles.|There were twice as many people as chairs.|The doors could not be closed any more.] [A woman near me felt faint and had to climb over others to get out.|The air was gone after twenty minutes.|If anything had happened, nobody would have got out.] [Could you count people at the door?|The talk was great, by the way.|Please move the next one to a larger room.]",
    thing: true,
    spots: ["Room 3", "Room 5", "Big hall", "Workshop room 2"],
    resolutionNotes: [
      "People are counted at the door from now on. The next session moved to the larger room.",
      "Two rooms swapped, doors kept open, and the windows can be opened again.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "high"],
    titles: [
      "[Very drunk guest|Guest who had too much] [needs help|needed help] [at the social|outside]",
      "[Somebody|Young guest] [barely able to stand|very drunk], [alone|with strangers]",
    ],
    description:
      "[At the social|Outside the side door|Near the stairs] there was somebody who had drunk [far more than is good|until they could not stand]. [Two strangers offered a ride. I did not like the look of it and stayed.|Friends had lost sight of them.|They did not know which hotel they were in.] [We found a friend in the end.|A volunteer called a taxi and went along.|I gave water and waited. Your team took over, thank you.] [Maybe have someone at the door at that hour.|I would like to know that they got home.]",
    thing: true,
    spots: ["Evening social", "Side door", "In front of the building"],
    investigationNotes: [
      "With the guest now. [Friends are on their way.|Looking for somebody who knows them.] Water, a blanket, no crowd.",
    ],
    resolutionNotes: [
      "Brought to the hotel by two of us, handed over to a friend. All well the next morning.",
      "Went home in a taxi with a friend. We keep somebody near the door at that hour from now on.",
    ],
  },
  {
    kind: "safety",
    where: ["games"],
    severity: ["medium", "high"],
    titles: [
      "[Child|Small boy|Girl of about six] [alone|without parents] for [an hour|a long time]",
      "[Lost child|Child looking for its parents] at [closing time|the entrance]",
    ],
    description:
      "A child of about [five|six|seven] was [on the stairs|at the snack bar|near the exit], alone. [We asked around for half an hour until we found the father in a game.|The mother had thought that we look after children.|It was after nine.] [The child was calm and won two games against me.|Nothing happened. It could have.|Maybe write on the door until when, and that we are no kindergarten.]",
    thing: true,
    spots: ["Snack bar", "Stairs", "Check-in table", "Big hall"],
    investigationNotes: [
      "The child is with us at the desk and has a biscuit. [Calling the parents by microphone.|Two of us go from table to table.]",
    ],
    resolutionNotes: [
      "Parents found and spoken with. A sign on the door says from now on who looks after children, and until when.",
      "Back with the family. Children get a wristband with a phone number at check-in.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["low", "medium"],
    titles: [
      "[Unlit path|No light] [to the car park|behind the building] [at night|after ten]",
      "[Dark way|Dark path] to the [bus|tram|car park]",
      "[Lamps|Lights] [off|broken] behind [the building|the hall]",
    ],
    description:
      "[The lamps behind the building are off.|The path to the car park has no light at all.|After ten the only open way leads through the dark yard.] [I waited for others to walk with.|Somebody stood there smoking and I turned back.|An older player stumbled on the steps.] [A lamp or a helper at the gate would do.|I would stay longer if it were not for that path.]",
    evidence: ["photo", "plan"],
    thing: true,
    spots: ["Path to the car park", "Yard behind the hall", "Way to the tram"],
    resolutionNotes: [
      "The lamps work again. Until they did, two of us stood there with torches.",
      "The house left the front door open instead, and a helper stands at the gate until the last one has left.",
    ],
  },
  {
    kind: "safety",
    where: ["online"],
    severity: ["medium"],
    titles: [
      "[Dangerous link|Link that steals passwords] [in the channel|sent to new members]",
      "[Phishing|Fake sign-in page] [spread|posted] under [our name|a member's name]",
    ],
    description:
      '[A member\'s account posts a link to a page that looks like our sign-in.|New members get a link "to finish registration".|There is a link to a "security update" in three channels.] [It asks for the password.|I entered mine before I noticed, and have changed it since.|It downloads something. I did not open it.] [The account probably was taken over.|Please warn the others.]',
    evidence: ["chat"],
    investigationNotes: [
      "Links removed as far as we see them. [The account is locked.|Telling the moderators of all channels.]",
    ],
    resolutionNotes: [
      "Account given back to its owner after a new password. A notice went to everybody who had seen the link.",
      "Links removed within [twenty minutes|the hour]; three people changed their passwords with our help.",
    ],
  },
  {
    kind: "safety",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "[Flashing lights|Strobe light] without [a warning|any notice] [in the hall|at the opening]",
      "[Migraine|Seizure risk] from [strobe lights|flashing slides]",
      "[Film|Slides] with [flashes|flicker], and I [have epilepsy|get migraines]",
    ],
    description:
      "[The opening film had ten seconds of flashing light.|At the social there was a strobe.|One talk had slides that blinked, full screen.] [There was no warning.|I have epilepsy and had to cover my eyes and get out.|I have had a migraine since.] [A sentence beforehand would have been enough.|I am fine now. The next one may not be.]",
    thing: true,
    spots: ["Large hall", "Evening social"],
    investigationNotes: [
      "Asked the stage crew [which parts flash|for the running order], and went to see how the guest is.",
    ],
    resolutionNotes: [
      "Strobe switched off for the rest of the event. Speakers are asked about flashes when they hand in slides.",
      "A warning is shown before the film, and it starts without the flashes now. The guest is well again.",
    ],
  },
  {
    kind: "safety",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Knife|Hot glue gun|Spray paint] [left lying|in use] next to [children|the kids' table]",
      "Painting corner: [no air|knives] and [children|open paint]",
    ],
    description:
      "[In the painting corner|At the end of the long table] somebody left [a craft knife|a hot glue gun, switched on|open thinner] [within reach of the children|where everyone puts their bags|and went to play]. [A boy had it in his hand when I came.|I put it away and left a note.|The smell went through the whole room.] [No harm done.|Perhaps a box with a lid?]",
    evidence: ["photo"],
    thing: true,
    spots: ["Painting corner"],
    resolutionNotes: [
      "There is a box with a lid now, and a grown-up who has the key.",
      "Painting moved to the room with windows, tools are handed out one by one.",
    ],
  },
];
