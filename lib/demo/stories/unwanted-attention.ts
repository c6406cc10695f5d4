import { IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Unwanted attention or touching. */
export const UNWANTED_ATTENTION_STORIES: readonly ReportStory[] = [
  {
    kind: "attention",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "high"],
    titles: [
      "[Arm around my shoulder|Hand on my back] after I said no",
      "[Touched|Hugged] again after [asking him to stop|a clear no]",
      "He [hugs|touches] people who [don't want it|step back]",
      '"Only being friendly": [hands|an arm] where I [don\'t want them|said no]',
      "I said [please don't|no], and he [laughed|did it again]",
    ],
    description:
      "[He greets everybody with a hug.|We had talked for ten minutes.|It began as a friendly conversation.] [I said that I don't like to be touched, and he laughed and did it again.|I stepped back twice, and then said it out loud.|I took his hand off my shoulder and told him no.] [Ten minutes later there was the arm again.|It happened once more when I was talking with someone else.|Later he did the same thing \"as a joke\".] [I stayed close to friends for the rest of the day.|I am all right. I don't want it to happen to the next one.|I skipped the evening because of it.]",
  },
  {
    kind: "attention",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["low", "medium"],
    titles: [
      "[Asked out|Invited for drinks] [again and again|five times] after saying no",
      "Someone does not [accept|take] a no",
      "[The fourth|Yet another] invitation after [three noes|a clear no]",
      "Would like [him|someone] to stop [asking me|following up]",
      "[Drinks|Dinner], [again|once more], and I had said no",
    ],
    description:
      "[The same person|Somebody from the table next to ours|A man who gives out stickers] asked me [for a drink|to dinner|for my number] [yesterday, this morning and again just now|three times in one afternoon|each time we passed each other]. [I said no thank you, then no, then please stop.|I have told him that I am here for the talks.|I made up a reason first, and then said plainly that I don't want to.] [It is not dramatic, it is tiring.|I catch myself looking around before I enter a room.|I would like somebody else to tell him.]",
  },
  {
    kind: "attention",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "Remarks about [my body|my looks|a colleague's clothes] at [a booth|the sponsor area]",
      "[Sponsor staff|Booth staff] commented on [how I look|a guest's figure]",
      '"[Smile|Turn around] for us": remarks at [a booth|the third booth]',
      "[Told|Heard] that I am [too pretty|too young] for [tech|this job]",
    ],
    description:
      "I asked about [a job|their product|a T-shirt] at one of the booths. [The answer was about my legs.|He said that they would sell more if I stood on their side.|I was told that I was too pretty to be an engineer.] [His colleague laughed and then looked embarrassed.|I left without an answer.|My friend heard it as well.] [The booth is the second one after the entrance.|I have kept the name on his badge.|I would rather talk about this in person.]",
    evidence: ["photo"],
  },
  {
    kind: "attention",
    where: ["online"],
    severity: ["medium", "medium", "high"],
    titles: [
      "[Private messages|Messages] that [turned personal|won't stop]",
      "Contact from a [work call|meeting] used for [flirting|private messages]",
    ],
    description:
      "[We had one call about the release.|I answered a question of his in the help channel.|She had my address from the contributors' list.] [Since then there are private messages every evening, and they are not about work.|First it was thanks, then compliments, then what I am wearing.|I was sent pictures that I had not asked for; I deleted the first and kept the others for you.] [I have asked to keep it to the project.|I stopped answering, and then came the questions why.|I blocked one account and got a mail instead.]",
    evidence: ["chat", "statement"],
    resolutionNotes: [
      "[Told him|Wrote to him], two of us, that contact is over. He agreed. Private messages are blocked for his account.",
      "Account suspended after the second warning. The pictures are kept sealed until the appeal is over.",
    ],
  },
  {
    kind: "attention",
    where: ["games"],
    severity: ["medium"],
    titles: [
      "[Romance|A love scene] pushed into [our role-playing game|the story] against a [no|veto]",
      "Scene went on although [a player|I] [had stopped it|said stop]",
    ],
    description:
      'We agreed at the start on what our story is not about. [The game leader brought it in anyway, with my character.|Another player kept describing what his character does to mine.|When I lifted the stop card it was called "breaking the mood".] [I said stop a second time and left the table.|The others helped me and we ended the evening early.|Nobody else said a word.] [It sounds like a game and it did not feel like one.|I would like to play again, only not with him.]',
    spots: ["Role-playing room upstairs"],
    resolutionNotes: [
      "Talked with the whole table about what a stop means. [The game leader apologised.|The group goes on with another game leader.]",
      "He plays no role-playing games with us for the rest of the season. The others found a new table together.",
    ],
  },
  {
    kind: "attention",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Sits down|Sat] far too close [at the table|each week]",
      "Knee against mine [under the table|all evening]",
      "[Moves|Moved] his chair [until we touch|right up to mine]",
      "[No room|No distance] at [the table|our table]: please [seat me elsewhere|say something]",
    ],
    description:
      "[The same player|Somebody I don't know well] chooses the seat next to me [each week|every time], and pulls the chair over until our arms touch. [I moved, he moved.|There were three free chairs.|Under the table his knee is against mine and it is no accident.] [I have changed tables twice.|I don't know how to say it without a scene.|A friend now sits between us.]",
    evidence: ["plan"],
    spots: ["Table 7", "Table 12, by the stage", "Big hall", "Role-playing room upstairs"],
  },
];
