import { IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Discrimination or exclusion. */
export const DISCRIMINATION_STORIES: readonly ReportStory[] = [
  {
    kind: "exclusion",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "medium", "high"],
    titles: [
      "[No way in|Locked ramp] for [my wheelchair|wheelchairs] [at the side door|today]",
      "[Lift|Ramp] [out of order|blocked] and [nobody with a key|no notice]",
      "[Step-free|Accessible] entrance [locked|closed] [all morning|again]",
    ],
    description:
      '[The ramp was locked|The lift was out of order|The step-free door was closed] and [nobody knew who had the key|the sign pointed to it all the same|I was asked whether I could "just do the three steps"]. [I waited outside for half an hour.|I missed the first session.|Two strangers offered to carry me. They meant well, and no.] [I had written about it beforehand.|It was promised on the website.|I would like to know that it is open tomorrow.]',
    evidence: ["photo", "plan"],
    thing: true,
    spots: ["Side door", "Main entrance", "Ramp to the yard", "Lift, ground floor"],
    resolutionNotes: [
      "[Opened|Mended] within [the hour|two hours]. The key now hangs at the desk, and it is on the list for each morning. We apologised in person.",
      "The house has put up a bell and a sign, and somebody of the crew looks after the door until the end.",
    ],
  },
  {
    kind: "exclusion",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      '[Table|Group] ["full"|suddenly full] when [I|a new player] asked to join',
      "Not [let in|welcome] at a [half-empty|open] table",
    ],
    description:
      'There was an open table with [two|three] free chairs. [When I asked, it was full. Ten minutes later friends of theirs sat down.|A woman who is new here asked, and was told that it is "rather complicated".|I was told that they want "serious players".] [It is not the first time at that table.|She went home after that.|I watched it happen to two people who don\'t look like them.]',
  },
  {
    kind: "exclusion",
    where: ["venue", "online"],
    severity: ["medium"],
    titles: [
      "[Captions|Live captions] [switched off|turned off] [in the middle of a talk|without a word]",
      "[Hearing loop|Captions] missing [again|although promised]",
      "[Deaf guests|Those who can't hear] left out [of the panel|once more]",
      "No captions [in the second half|after the break]",
    ],
    description:
      '[The live captions went off after ten minutes and did not come back.|The hearing loop in this room is off.|Somebody found the captions "distracting", and so they were turned off.] [I could not follow the rest.|There are at least three of us who need them.|I asked the crew, who asked me to ask somebody else.] [It was announced for all sessions.|The recording has none either.|I paid for this ticket like everybody else.]',
    thing: true,
    resolutionNotes: [
      "Captions are on again, and stay on: the crew has it in writing that nobody but the captioner turns them off.",
      "The recording got its captions [two days later|within the week], with an apology. Next time there is a spare device.",
    ],
  },
  {
    kind: "exclusion",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Quiet room|Prayer room] [used for storage|used as a cloakroom]",
      "[Nowhere to pray|No quiet place]: the room is [full of boxes|locked]",
      "[Somebody|A team] has [a meeting|phone calls] in the quiet room",
    ],
    description:
      "[I wanted to pray at noon|I needed ten quiet minutes|I get overwhelmed in crowds and rely on the quiet room] and found the room [full of boxes from the sponsors|in use for a phone call, with no end in sight|locked]. [I ended up on the stairs.|I went home at two because of it.|The volunteers were kind and had no key.]",
    evidence: ["photo"],
    thing: true,
    spots: ["Quiet room"],
    resolutionNotes: [
      "Cleared at once. There is a sign on the door now, and a volunteer who looks in every hour.",
      "Boxes moved, key at the desk. We wrote to those who had used it, and they understood.",
    ],
  },
  {
    kind: "exclusion",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      'Told that [this workshop|the advanced track] is [not for me|"not for people like me"]',
      "[Sent away|Turned away] from a workshop [I had booked|with free seats]",
      '"[Are you|Surely you are] in the wrong room?"',
      "[Asked|Was asked] [whose partner I am|if I am lost] at the workshop door",
    ],
    description:
      "[I had a seat in the workshop.|There were free seats.|I had signed up weeks ago.] [The trainer looked at me and asked whether I was in the right room, and then again.|At the door I was asked if I was somebody's partner.|He said that it would be too hard for me and that the design track was next door.] [The men before and after me were not asked.|I have fifteen years in this field.|I stayed, and was not called on once.]",
  },
  {
    kind: "exclusion",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium"],
    titles: [
      "[Assistance dog|Guide dog] [not let in|refused at the door]",
      "[Argument|Trouble] about my [assistance dog|guide dog] at the entrance",
      "[Security|The doorman] did not know [the rule on|about] [assistance dogs|guide dogs]",
      "My dog [works|is my eyes], and had to [wait outside|argue for me]",
    ],
    description:
      "[I come with an assistance dog, with papers.|My guide dog wears a harness that one can't miss.|I had announced my dog when I registered.] [Security would not let us in.|I was told that dogs wait outside.|Someone complained about an allergy and I was asked to sit in the last row, alone.] [It took twenty minutes and two calls.|In the end a volunteer walked us in.|I would like it to be clear for tomorrow.]",
    spots: ["Main entrance", "Check-in table", "Registration desk"],
    resolutionNotes: [
      "Security has been told, by their own boss as well. [It went without a word the next morning.|We walked in together the next day.]",
      "Apologised, and added a paragraph on assistance dogs to what everybody at the door gets to read.",
    ],
  },
  {
    kind: "exclusion",
    where: ["online", "games"],
    severity: ["low"],
    titles: [
      "[Switching|Changing] to [another language|a language I don't speak] when I [join|speak]",
      "Talk [moves to another language|goes on without us] on purpose",
      "[Three people|Some] [stop|change language] as soon as [we|I] come near",
    ],
    description:
      "[Whenever I join the conversation|As soon as the two of us from abroad come in], [three people|a few regulars] change to a language that [we|some of us] don't speak. [I asked in a friendly way and was told to learn it.|They laugh and look over.|It would be fine if it were not each time and only then.] [The rest of the group is lovely.|I don't want anybody punished, only for it to stop.]",
  },
  {
    kind: "exclusion",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "Asked to leave [with my baby|because of a baby]",
      "[Parent|Mother] with a [baby|toddler] sent out of [a talk|the hall]",
      "[Children welcome|Family friendly], but not [mine|in this hall]",
    ],
    description:
      "[My son is four months old and was asleep.|The baby made a few sounds, not more.|I stood at the back, near the door.] [An attendee told me that this is no place for children, and the room helper agreed.|I was asked to leave, in front of everyone.|Someone turned around each time and hissed.] [The invitation said that children are welcome.|I followed the rest from the corridor.]",
  },
];
