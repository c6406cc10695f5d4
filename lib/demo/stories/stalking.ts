import { IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Stalking or following. */
export const STALKING_STORIES: readonly ReportStory[] = [
  {
    kind: "following",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "The same person [in every room|wherever I go] since [this morning|yesterday]",
      "[Followed|Someone follows me] from [talk to talk|room to room]",
      "[Always|Again] [one row|two rows] behind me",
      "I [don't think|doubt] that this is a coincidence",
    ],
    description:
      "[Since yesterday|All morning|For two days] the same person sits [behind me|one row back|next to the door] in each session I go to. [I changed plans at the last minute and he came in a minute later.|I left a talk after five minutes, and he did, too.|I waited in the washroom for a quarter of an hour. He was in the corridor.] [We have not spoken.|I don't know him.|I know him from an earlier job.] [Maybe it is nothing. It does not feel like nothing.|I would like someone to walk with me this evening.]",
    evidence: ["notes", "plan"],
  },
  {
    kind: "following",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["high", "high", "critical"],
    titles: [
      "[Followed to the tram|Followed to my stop] after [the evening|closing]",
      "Someone [walked behind me|followed us] to the [hotel|station]",
      "[Got off|Got on] where I [got off|got on]: [a guest|somebody from here]",
      "[Did not feel|Was not] alone on the [way home|walk to the hotel]",
      "A man with our badge [behind me|after me] [in the dark|all the way]",
    ],
    description:
      "[I left a little before ten.|We were two and left together.|I went out for some air and then home.] Somebody from [here|the event|the hall] walked behind [me|us], [crossed when I crossed|stopped when we stopped|got on the same tram and off at my stop]. [I went into a shop until he had gone.|I called a friend and stayed on the phone.|At the hotel the night porter sent him away.] [I would know him again.|He had a badge on, blue lanyard.|I took a taxi the next day.]",
    spots: ["Tram stop", "Bus stop", "Way to the station", "In front of the building"],
  },
  {
    kind: "following",
    where: ["online"],
    severity: ["medium", "high"],
    titles: [
      "[Shows up|Turns up] in [every channel|each thread] that I [join|write in]",
      "[Reacts to|Comments on] everything I [write|post], for weeks",
    ],
    description:
      "[For three weeks|Since the call last month|For some time now] one account [joins each channel within minutes after me|answers whatever I write, wherever|puts a heart under posts of mine from years ago]. [I have muted them, and others ask me who that is.|When I left a channel they asked in public where I was.|It looks friendly one message at a time. It is not, taken together.] [I have written a list with dates.|Please don't tell them that it was me.]",
    evidence: ["chat", "notes"],
    investigationNotes: [
      "Saved the list of dates. [We talk to the account's owner this evening, two of us.|Asked the moderators what they see from their side.]",
    ],
    resolutionNotes: [
      "Spoke with the owner of the account, who had not seen it that way, and keeps away since.",
      "Account muted for a month after it went on. No messages since then.",
    ],
  },
  {
    kind: "following",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "[Somebody asks|A man asks] around [where I am staying|for my hotel]",
      "[Questions about|Someone wants] my [hotel and train|room number]",
      "[Volunteers|Friends] were asked [when I leave|where I sleep]",
    ],
    description:
      "[Three people|Two colleagues|A volunteer] told me that somebody asks for me: [which hotel I am in|when I leave|which sessions I am going to]. [He says that we are friends. We are not.|He describes me quite exactly.|I once worked with him, and I left because of him.] [The desk did not tell him, thank you for that.|I am changing hotels.|I would like to know if he asks again.]",
  },
  {
    kind: "following",
    where: ["online"],
    severity: ["medium", "high"],
    titles: [
      "[New account|Another account] after [a block|I blocked someone]",
      "Blocked person is [back|here again] [under another name|with a new account]",
    ],
    description:
      '[In spring|Some weeks ago|Last month] I blocked somebody who would not leave me alone. [Since Sunday there is a new account with the same phrases.|A "new member" knows things that only he knows.|The third account by now; same typos, same hours.] [I have not answered.|He calls me by a nickname that nobody uses here.|I attach what I have.]',
    evidence: ["chat"],
    investigationNotes: [
      "Comparing the accounts with the moderators. [Looks like the same person.|Same hours, same phrases.]",
    ],
    resolutionNotes: [
      "All accounts of that person are blocked for good; sign-ups from there are looked at by hand.",
      "Turned out to be somebody else, who was shocked to hear it and changed the nickname.",
    ],
  },
];
