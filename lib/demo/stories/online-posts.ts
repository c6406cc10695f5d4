import { ALL_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Messages or posts online. */
export const ONLINE_POST_STORIES: readonly ReportStory[] = [
  {
    kind: "messages",
    where: ["venue", "online"],
    severity: ["low", "medium"],
    titles: [
      "[Mocking posts|Nasty posts] about [a speaker|the keynote speaker] under [our tag|the event's tag]",
      "[Thread|Posts] [tearing down|making fun of] [a talk|a first talk]",
    ],
    description:
      "[While the talk was still going on|Half an hour after the talk|Since last night] there [is a thread|are posts] about [the speaker's voice and clothes|how she \"got the slot\"|his nerves on stage]. [It has forty replies by now, most of them cruel.|Two of the accounts belong to people who are here.|It uses our tag, so everybody sees it.] [The speaker has seen it.|She has taken her account down.|I don't know what you can do. I think that you should know.]",
    evidence: ["chat"],
  },
  {
    kind: "messages",
    where: ALL_DEMO_EVENT_PLACE_KINDS,
    severity: ["low", "medium"],
    titles: [
      "[Hostile|Abusive] messages from [a stranger|an unknown account|someone here]",
      "[Flood of messages|Dozens of messages] after [a disagreement|one post]",
      "[Thirty|More than thirty] messages since [last night|yesterday]",
      "[Message after message|Messages at night] from [the same account|one person]",
      "[Please help|I need help] with [messages|an account] that won't stop",
    ],
    description:
      '[We disagreed about something small.|I wrote one sentence in the chat group.|I don\'t even know what I did.] [Since then I got thirty-one messages, the last at four in the morning.|There is a new one each hour, from "you people" to worse.|He sends the same picture again and again.] [I have answered none of them.|I asked once to stop.|I have muted it, and I still see the number grow.]',
    evidence: ["chat"],
  },
  {
    kind: "messages",
    where: ["online"],
    severity: ["high", "high", "critical"],
    titles: [
      "[Employer and city|Private address|Phone number] of [a member|a moderator] [posted|made public]",
      "[Personal details|Where I work] [published|spread] in [a channel|a thread]",
    ],
    description:
      "[In an argument|Under an old thread|In the off-topic channel] somebody posted [where one of our moderators works and lives|a member's phone number|my full name with my city]. [It was up for about an hour.|It is still there as I write this.|It was removed and then posted again.] [There were strange calls since.|The person is not well and would like to stay out of this.|I am the person. I would like it gone, and to know who saw it.]",
    evidence: ["chat"],
  },
  {
    kind: "messages",
    where: ["online"],
    severity: ["low"],
    titles: [
      "[Political quarrel|Old quarrel] [takes over|has taken over] the [channel|help channel]",
      "[Endless fight|Argument] [drowns out|buries] [newcomers' questions|all else]",
    ],
    description:
      "[For the third evening|Since Friday|Every time the news is bad] the same [four|five] people fight about politics where [new people ask for help|we plan the release]. [Questions go by without an answer.|A moderator asked twice to take it elsewhere.|It gets personal each time.] [I don't take sides here. I want the channel back.|Two translators have left because of it.]",
    evidence: ["chat"],
  },
  {
    kind: "messages",
    where: ["online"],
    severity: ["medium"],
    titles: [
      "Someone [poses as|pretends to be] a moderator",
      "[Fake moderator|False moderator] [asks for|collects] [passwords|private details]",
    ],
    description:
      '[I got a message from "the moderation team".|An account with nearly the same name as one of the moderators writes to new members.|Three people showed me the same message.] [It says that we are going to lose our accounts unless we send our details.|It hands out "warnings".|It asks for a phone number "for verification".] [I did not answer.|One person has answered and is worried now.|The name differs by one letter.]',
    evidence: ["chat"],
  },
  {
    kind: "messages",
    where: ["online"],
    severity: ["low", "medium"],
    titles: [
      "[Wiki page|Contributors' page] [edited|changed] to [insult|mock] [a maintainer|two of us]",
      "[Insulting edit|Vandalism with a name in it] on the wiki",
    ],
    description:
      'The page about [our history|the contributors|the translation team] now has [a paragraph about how one maintainer "ruined" it|a nickname where my name was|a joke about somebody\'s illness]. [It has been there for nine days.|It was undone, and done again.|The edit comes from somebody with rights.] [I could change it back. I would rather that somebody talked with the author.|Links to both versions are in the attachment.]',
    evidence: ["notes"],
  },
  {
    kind: "messages",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Chat group|Our group chat] [turned nasty|has turned against one player]",
      "[One player|A teammate] [picked on|piled on] in the [league chat|chat group]",
    ],
    description:
      "[After the second evening|Since the team was picked|For two weeks] the group chat has one subject: [how badly one of us plays|who may stay in the team|somebody's \"smell\"]. [There are stickers of her face.|He has not written a word in it for a week.|It goes on after midnight, and some of us are pupils.] [I have written that I don't find it funny.|I should have said something sooner.|She asked me to report it, and not to name her.]",
    evidence: ["chat"],
  },
];
