import { IN_PERSON_DEMO_EVENT_PLACE_KINDS, type ReportStory } from "./story.ts";

/** Threats or violence. */
export const THREAT_STORIES: readonly ReportStory[] = [
  {
    kind: "threats",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["medium", "high", "high"],
    titles: [
      "[Argument|Quarrel] [got loud|turned into shoving] [near the exit|at the bar|over a seat]",
      "[Pushed|Shoved] in [a quarrel|the queue]",
      "[Two men|Two guests] [came to blows|nearly fought] over [a chair|nothing]",
      "A [shove|push] and [a fallen chair|loud words] [by the stairs|in the foyer]",
    ],
    description:
      "[Two guests|Two men who seem to know each other|A guest and one of the crew] began to argue about [a seat|a place in the queue|a spilled drink]. [It ended with one pushing the other against the wall.|There was a shove, and a chair went over.|One raised his fist and was held back by friends.] [Nobody is hurt.|Somebody has a bruised elbow and says that it is fine.|Both have left by different doors.] [I write this down so that you know who to look out for.|The people around were scared, some with children.]",
    evidence: ["statement", "photo"],
    spots: ["By the bar", "Foyer", "Main entrance", "Snack bar"],
  },
  {
    kind: "threats",
    where: ["games"],
    severity: ["medium", "high"],
    titles: [
      '[Threatened|"You will regret this"] after [a ruling|a judge\'s ruling]',
      "[Judge|Referee] threatened [over a call|after the final]",
    ],
    description:
      'I was the judge. [After my ruling|When I had explained the rule a second time|At the end of the match] [the player leaned over the table and said that I would regret it|he said that he knows which bus I take|he told me that we would "settle it outside"]. [He has a temper and I have heard such things before, but not like this.|Two people at the next table heard it.|I walked home with others.]',
    evidence: ["notes"],
  },
  {
    kind: "threats",
    where: ["online"],
    severity: ["high", "high", "critical"],
    titles: [
      "[Threats|Threatening message] after [a moderation decision|I removed a post]",
      "[A message|Mail] that says [he knows where I live|I should watch out]",
    ],
    description:
      "I [removed a post|closed a thread|gave someone a warning] [on Tuesday|last night|this morning]. [An hour later|The same evening|Since then] I got [a message from a new account|a mail to my private address|several messages] saying that [they know where I live|I should look over my shoulder|there are ways to reach me]. [I don't think that it will come to anything, but I slept badly.|My address is not hard to find.|I have told my family.] [Screenshots are attached.|I have saved everything with its headers.]",
    evidence: ["chat", "statement"],
    resolutionNotes: [
      "Account closed, and its provider informed. There is a list of people to turn to at any hour.",
      "The reporter went to the police with one of us. From our side an exclusion for good.",
      "The sender has been found and excluded; the private address is gone from all of our pages.",
    ],
  },
  {
    kind: "threats",
    where: ["games"],
    severity: ["medium", "medium", "high"],
    titles: [
      "[Box|Dice|Cards] thrown [across the table|after a lost round]",
      "[Player|Someone] [swept|threw] the [board|pieces] off the table",
    ],
    description:
      "[When he lost|After the last turn|In the middle of the second game] he [threw the box across the table|swept everything to the floor|threw his dice at the wall]. [A corner of it hit a girl on the hand, it left a red spot.|Nobody was hit.|They passed close to my face.] [He apologised, to the owner of the game.|He left at once.|It is the second time this season.]",
    evidence: ["photo"],
  },
  {
    kind: "threats",
    where: IN_PERSON_DEMO_EVENT_PLACE_KINDS,
    severity: ["high", "critical"],
    titles: [
      "[Someone|A guest] [blocked the door|would not let me leave]",
      "[Kept from leaving|Held up] in [a side room|the corridor]",
      "He [stood in|filled] the doorway [until I answered|and smiled]",
      "[Could not|Was not able to] get [past him|out of the room]",
      "[Cornered|Held back] after [a talk|a game|a discussion]",
    ],
    description:
      "[I wanted to end the conversation and go.|I had said that I don't want to talk about it.|We were alone in the corridor.] [He stood in the doorway and said that we were not done.|She held the door shut until I answered.|Each time I stepped aside he stepped aside as well.] [After a minute or two someone came and I got out.|I called out and he moved.|I was let go when my phone rang.] [I am with friends now.|I don't want to be alone in that part of the building.]",
  },
];
