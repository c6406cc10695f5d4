import { IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Photos or recordings against someone's will. */
export const UNWANTED_RECORDING_STORIES: readonly ReportStory[] = [
  {
    kind: "pictures",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Photographed|Filmed] [despite|in spite of] a red lanyard",
      "Red lanyard [ignored|not respected] by [a photographer|a guest with a camera]",
      "[Close-up|Pictures] of [our table|me] although I [wear red|said no]",
      '[Red lanyard|No-photo sign]: ["just one picture"|and the camera came closer]',
    ],
    description:
      "I wear the red lanyard for a reason. [Someone with a large camera took pictures of our table from very near.|A guest filmed along the row and stopped at me.|When I held my hand up he took it as a pose.] [I asked to have them deleted. He said he would look.|She said it was for the official album.|I was told that I could have moved.] [I must not be found online with where I am.|It is about my safety, and I don't want to explain it to each photographer.]",
    evidence: ["photo"],
  },
  {
    kind: "pictures",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "high"],
    titles: [
      "[My child's picture|A child's photo] [posted|online] [without asking|with the name]",
      "Pictures of [children|my daughter] in [a public album|somebody's feed]",
      "[Found|There is] a picture of [my son|our child] [online|on a stranger's page]",
    ],
    description:
      "[My daughter is nine.|Our children were at the kids' table.|I found a picture of my son.] It is in [a public album|somebody's feed|the gallery under the event's tag], [with her name under it|her face quite clear|taken from across the room]. [Nobody asked us.|I asked for it to be taken down two days ago.|I don't know who took it.] [I would like it gone, and all copies.|I don't think that it was meant badly.]",
    evidence: ["photo", "chat"],
  },
  {
    kind: "pictures",
    where: ["venue"],
    severity: ["medium"],
    titles: [
      "[Private conversation|Hallway conversation] [recorded|taped] in secret",
      "Someone [recorded us|held a recorder] [in the corridor|at lunch]",
      "A phone [on the ledge|next to us], [recording|with the red light on]",
    ],
    description:
      "We talked [in the corridor|over lunch|behind the stage] about [a colleague's health|a job one of us is leaving|something that is not public]. [Then we saw the phone on the ledge with the recording light on.|A man next to us played it back to a friend the next day.|Somebody quoted it word for word in a post.] [He says that it is for a podcast.|He took the phone and went.|We asked to have it deleted and were laughed at.]",
  },
  {
    kind: "pictures",
    where: ["online"],
    severity: ["medium", "high"],
    titles: [
      "Screenshot of [a private channel|my direct messages] [passed on|posted elsewhere]",
      "[Private thread|Support thread] [shared|made public] without asking",
    ],
    description:
      '[I wrote something personal in a closed channel.|Our support channel is private, by its own rules.|I told one person why I stepped back.] [A screenshot of it is on another site.|My manager got a copy.|It was posted in the large channel "for transparency".] [Only eleven people could read it.|My name is visible, others are blacked out.|I am not angry at the channel. I want to know how to trust it again.]',
    evidence: ["chat"],
    resolutionNotes: [
      "Taken down, and whoever shared it lost access to the channel. The rules now stand at its top.",
      "The person who passed it on has apologised to the whole channel. It was meant for one friend, and that was one too many.",
    ],
  },
  {
    kind: "pictures",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["low", "medium"],
    titles: [
      "[Live stream|Stream] shows people who [asked not to be in it|had said no]",
      "[Filmed for a stream|On a live stream] without [a sign|being asked]",
      "[My face|We are] in [somebody's stream|a live video] without [a yes|being asked]",
      "Camera on [the first rows|our table], [no sign|not a word]",
    ],
    description:
      "[There was a stream from the table next to ours.|Somebody walked through the hall with a live stream running.|A camera on the stage showed the first rows.] [We had asked at the start not to be in it.|There was no sign and nobody said a word.|I learned of it from a message of my mother's.] [It is still online, and we are in the first half hour.|He was nice about it, and moved the camera by ten centimetres.]",
    evidence: ["photo"],
  },
  {
    kind: "pictures",
    where: ["online"],
    severity: ["low", "medium"],
    titles: [
      "[Call|Meeting] recorded without [telling us|a word]",
      "[Recording|A recording] of our [call|small meeting] [is going around|was published]",
    ],
    description:
      'We had a call with [six|eight|about ten] people. [There was no notice of a recording.|The notice was off; somebody recorded the screen.|At the end someone said "I\'ll put it up".] [I talked about an illness in my family.|It was a call to think aloud, with half-baked ideas.|One of us is not allowed to be seen by their employer.] [The file is public.|I asked to take it down, no answer so far.]',
    resolutionNotes: [
      "The recording is deleted; the person who made it showed us. Calls now begin with a question about it.",
      "Cut to the part that everyone agreed to. [The host|The team] asks at the start from now on.",
    ],
  },
];
