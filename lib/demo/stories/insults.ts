import { ALL_DEMO_EVENT_PLACE_KINDS, IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Insults, slurs or mockery. */
export const INSULT_STORIES: readonly ReportStory[] = [
  {
    kind: "insults",
    where: ["venue", "online"],
    severity: ["low", "medium", "medium"],
    titles: [
      "[Accent|Way of speaking] [mocked|imitated] during [questions|the Q&A|a question]",
      "[Laughter about|Jokes about] a speaker's accent",
      "[Somebody|A participant] [imitated|made fun of] how I speak",
      "Not laughing [with us, at us|with me, at me]: my accent",
    ],
    description:
      "[When I asked my question|During the questions|After the talk], [a man two rows behind me|someone on the left|one of the regulars] repeated my words in a made-up accent. [A few people laughed.|The people next to him thought it was funny.|Nobody said anything.] [I have given talks in English for years and I still went quiet.|I noticed that two others who wanted to ask put their hands down.|The moderator went on as if nothing had been.]",
    evidence: ["notes"],
  },
  {
    kind: "insults",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "medium", "high"],
    titles: [
      "[Volunteer|Helper] [shouted at|yelled at] [over a badge|over a missing sign-up|about the queue]",
      "[Guest|Visitor] [lost his temper|lost her temper|shouted] at the [desk|check-in|entrance]",
    ],
    description:
      '[I was on shift with a younger volunteer|I am a volunteer and it was my shift|I was waiting in line] when someone [could not find their booking|was told that the room was full|had to wait for a new badge]. [They called the volunteer useless, twice, loud enough for the whole line.|There were insults that I don\'t want to repeat, all of them at the volunteer.|It began with a raised voice and went on to "are you stupid".] [She finished her shift and cried in the back afterwards.|The volunteer stayed polite, and was shaking.|We swapped places and it calmed down.]',
    evidence: ["statement"],
  },
  {
    kind: "insults",
    where: ALL_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "high"],
    titles: [
      "[Wrong pronouns|Old name] used [on purpose|again and again]",
      "[Mocked|Laughed at] for [the pronouns on my badge|my name|how I introduce myself]",
      "[Misgendered|Called by my old name] in front of [everyone|the whole group]",
      "[He|She] [refuses|won't] use my name",
      '"What are you really?" in [a full room|front of others]',
    ],
    description:
      '[My pronouns are on my badge and in my profile.|I had said my name twice.|Everyone there knows me under this name.] [One person|Someone I work with from time to time|A person I had not met before] [used the other one each time, with a grin|asked loudly what I "really" was|kept "forgetting" it and looked around for applause]. [When a friend corrected them they said that one can\'t say anything any more.|I asked to leave it, and it went on for the rest of the evening.|I left earlier than I wanted to.]',
  },
  {
    kind: "insults",
    where: ["games", "online"],
    severity: ["low", "low", "medium"],
    titles: [
      "[Newcomer|Beginner] made fun of for [asking|a slow start|a mistake]",
      "[Sneering|Eye-rolling and sneering] at [new people|beginners]",
      "[First evening|First day], [last evening|last day], because of [two|three] loud people",
      "[A shy question|A simple question] and a [round of laughter|lot of scorn]",
    ],
    description:
      '[A new member|Someone on their first day|A teenager who came with a friend] asked how [something works|to begin|to set it up]. [The answers were a chain of jokes at their cost.|One of us answered "have you tried reading", and others joined in.|They were told to come back when they had grown up.] [They have not been back since.|I wrote to them afterwards and apologised, though it was not me.|It is a small thing. It is also how we lose people.]',
    evidence: ["chat"],
  },
  {
    kind: "insults",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "Heckling during [a lightning talk|my lightning talk|a first-time speaker's talk]",
      "[Speaker|First-time speaker] [interrupted|shouted down] from the audience",
      '[Running commentary|Shouts of "next"] from the [back|third] row',
      "[My five minutes|Five minutes] that [were taken from me|somebody else took over]",
    ],
    description:
      '[A first-time speaker|The second speaker|I] had five minutes. [After one, somebody called "next".|Someone corrected every other sentence out loud.|There were two people who commented on everything, not quietly.] [The session chair asked for quiet once and then gave up.|It took the whole talk until someone told them off.|The speaker stopped in the middle and left the stage.]',
  },
  {
    kind: "insults",
    where: ["online"],
    severity: ["low", "medium", "medium"],
    titles: [
      "[Personal insults|Ridicule] in [a code review|a review thread|a pull request]",
      "Review comments about [me|the author], not [about the code|the patch]",
      "Called [lazy|incompetent|a waste of time] in a review",
    ],
    description:
      '[My change was wrong in places, and I am fine with hearing that.|The patch had a bug. It happens.|We disagreed about a design.] [The comments stopped being about the change and became about me.|After the third round it said "people like you should not have commit rights".|He wrote that he would be faster rewriting it than reading what I produce.] [It is all public, under my real name.|Two others put a thumbs-up under it.|I have closed the pull request and don\'t feel like opening another.]',
    evidence: ["chat"],
  },
  {
    kind: "insults",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Cruel teasing|Nasty remarks] after a lost game",
      "[Winner|Opponent] [gloats|mocks] [until someone cries|and won't stop]",
    ],
    description:
      "[After the match|At the end of the round|When the scores were read out], [the winner|one of the players|my opponent] went on and on about how bad the other one had played. [The loser is fourteen.|It was about their brain, not about the game.|It did not stop when they had packed up.] [I asked him to leave it and was told to mind my own table.|The rest of the table looked at the floor.|I said something too late.]",
  },
  {
    kind: "insults",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Sign language interpreter|Interpreter] [imitated|ridiculed] by [two guests|an attendee]",
      "Someone [made faces at|copied] the interpreters",
      "[Two people|A group] [aping|imitating] the [interpreters|sign language]",
    ],
    description:
      '[During the keynote|In the panel after lunch|In the large hall] [two people|a small group] [copied the interpreters\' gestures and laughed|waved their arms about behind the interpreters|filmed themselves doing "sign language"]. [I am deaf and I was in the front row to see them.|My colleague depends on the interpreters and saw all of it.|The interpreters went on, and told me later that they had noticed.]',
    evidence: ["notes"],
  },
];
