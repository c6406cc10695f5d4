import type { IncidentKind } from "#lib/incidents/kinds.ts";
import type { Severity } from "#lib/incidents/schema.ts";
import type { EventSetting } from "./places.ts";

/**
 * The reports of the demo world. Brackets hold alternatives, of which one is used. The stories should sound like people
 * who write to somebody they trust: plain, and no longer than necessary.
 */

/** The kinds of files that a report may have. */
export type EvidenceKind = "photo" | "chat" | "plan" | "statement" | "notes";

export type ReportStory = {
  kind: IncidentKind;
  where: readonly EventSetting[];
  severity: readonly Severity[];
  titles: readonly string[];
  told: string;
  evidence?: readonly EvidenceKind[];
  /** Possible locations, if the story doesn't fit just anywhere. */
  spots?: readonly string[];
  /** The report is about a thing, not about a person. */
  thing?: true;
  /** The team's notes on investigating and on resolving, if those of its kind don't fit. */
  looking?: readonly string[];
  resolved?: readonly string[];
};

const ALL_SETTINGS: readonly EventSetting[] = ["venue", "online", "games"];
const IN_PERSON_SETTINGS: readonly EventSetting[] = ["venue", "games"];

export const STORIES: readonly ReportStory[] = [
  // Insults, slurs or mockery
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
    told: "[When I asked my question|During the questions|After the talk], [a man two rows behind me|someone on the left|one of the regulars] repeated my words in a made-up accent. [A few people laughed.|The people next to him thought it was funny.|Nobody said anything.] [I have given talks in English for years and I still went quiet.|I noticed that two others who wanted to ask put their hands down.|The moderator went on as if nothing had been.]",
    evidence: ["notes"],
  },
  {
    kind: "insults",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "medium", "high"],
    titles: [
      "[Volunteer|Helper] [shouted at|yelled at] [over a badge|over a missing sign-up|about the queue]",
      "[Guest|Visitor] [lost his temper|lost her temper|shouted] at the [desk|check-in|entrance]",
    ],
    told: '[I was on shift with a younger volunteer|I am a volunteer and it was my shift|I was waiting in line] when someone [could not find their booking|was told that the room was full|had to wait for a new badge]. [They called the volunteer useless, twice, loud enough for the whole line.|There were insults that I don\'t want to repeat, all of them at the volunteer.|It began with a raised voice and went on to "are you stupid".] [She finished her shift and cried in the back afterwards.|The volunteer stayed polite, and was shaking.|We swapped places and it calmed down.]',
    evidence: ["statement"],
  },
  {
    kind: "insults",
    where: ALL_SETTINGS,
    severity: ["medium", "high"],
    titles: [
      "[Wrong pronouns|Old name] used [on purpose|again and again]",
      "[Mocked|Laughed at] for [the pronouns on my badge|my name|how I introduce myself]",
      "[Misgendered|Called by my old name] in front of [everyone|the whole group]",
      "[He|She] [refuses|won't] use my name",
      '"What are you really?" in [a full room|front of others]',
    ],
    told: '[My pronouns are on my badge and in my profile.|I had said my name twice.|Everyone there knows me under this name.] [One person|Someone I work with from time to time|A person I had not met before] [used the other one each time, with a grin|asked loudly what I "really" was|kept "forgetting" it and looked around for applause]. [When a friend corrected them they said that one can\'t say anything any more.|I asked to leave it, and it went on for the rest of the evening.|I left earlier than I wanted to.]',
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
    told: '[A new member|Someone on their first day|A teenager who came with a friend] asked how [something works|to begin|to set it up]. [The answers were a chain of jokes at their cost.|One of us answered "have you tried reading", and others joined in.|They were told to come back when they had grown up.] [They have not been back since.|I wrote to them afterwards and apologised, though it was not me.|It is a small thing. It is also how we lose people.]',
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
    told: '[A first-time speaker|The second speaker|I] had five minutes. [After one, somebody called "next".|Someone corrected every other sentence out loud.|There were two people who commented on everything, not quietly.] [The session chair asked for quiet once and then gave up.|It took the whole talk until someone told them off.|The speaker stopped in the middle and left the stage.]',
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
    told: '[My change was wrong in places, and I am fine with hearing that.|The patch had a bug. It happens.|We disagreed about a design.] [The comments stopped being about the change and became about me.|After the third round it said "people like you should not have commit rights".|He wrote that he would be faster rewriting it than reading what I produce.] [It is all public, under my real name.|Two others put a thumbs-up under it.|I have closed the pull request and don\'t feel like opening another.]',
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
    told: "[After the match|At the end of the round|When the scores were read out], [the winner|one of the players|my opponent] went on and on about how bad the other one had played. [The loser is fourteen.|It was about their brain, not about the game.|It did not stop when they had packed up.] [I asked him to leave it and was told to mind my own table.|The rest of the table looked at the floor.|I said something too late.]",
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
    told: '[During the keynote|In the panel after lunch|In the large hall] [two people|a small group] [copied the interpreters\' gestures and laughed|waved their arms about behind the interpreters|filmed themselves doing "sign language"]. [I am deaf and I was in the front row to see them.|My colleague depends on the interpreters and saw all of it.|The interpreters went on, and told me later that they had noticed.]',
    evidence: ["notes"],
  },
  // Unwanted attention or touching
  {
    kind: "attention",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "high"],
    titles: [
      "[Arm around my shoulder|Hand on my back] after I said no",
      "[Touched|Hugged] again after [asking him to stop|a clear no]",
      "He [hugs|touches] people who [don't want it|step back]",
      '"Only being friendly": [hands|an arm] where I [don\'t want them|said no]',
      "I said [please don't|no], and he [laughed|did it again]",
    ],
    told: "[He greets everybody with a hug.|We had talked for ten minutes.|It began as a friendly conversation.] [I said that I don't like to be touched, and he laughed and did it again.|I stepped back twice, and then said it out loud.|I took his hand off my shoulder and told him no.] [Ten minutes later there was the arm again.|It happened once more when I was talking with someone else.|Later he did the same thing \"as a joke\".] [I stayed close to friends for the rest of the day.|I am all right. I don't want it to happen to the next one.|I skipped the evening because of it.]",
  },
  {
    kind: "attention",
    where: IN_PERSON_SETTINGS,
    severity: ["low", "medium"],
    titles: [
      "[Asked out|Invited for drinks] [again and again|five times] after saying no",
      "Someone does not [accept|take] a no",
      "[The fourth|Yet another] invitation after [three noes|a clear no]",
      "Would like [him|someone] to stop [asking me|following up]",
      "[Drinks|Dinner], [again|once more], and I had said no",
    ],
    told: "[The same person|Somebody from the table next to ours|A man who gives out stickers] asked me [for a drink|to dinner|for my number] [yesterday, this morning and again just now|three times in one afternoon|each time we passed each other]. [I said no thank you, then no, then please stop.|I have told him that I am here for the talks.|I made up a reason first, and then said plainly that I don't want to.] [It is not dramatic, it is tiring.|I catch myself looking around before I enter a room.|I would like somebody else to tell him.]",
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
    told: "I asked about [a job|their product|a T-shirt] at one of the booths. [The answer was about my legs.|He said that they would sell more if I stood on their side.|I was told that I was too pretty to be an engineer.] [His colleague laughed and then looked embarrassed.|I left without an answer.|My friend heard it as well.] [The booth is the second one after the entrance.|I have kept the name on his badge.|I would rather talk about this in person.]",
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
    told: "[We had one call about the release.|I answered a question of his in the help channel.|She had my address from the contributors' list.] [Since then there are private messages every evening, and they are not about work.|First it was thanks, then compliments, then what I am wearing.|I was sent pictures that I had not asked for; I deleted the first and kept the others for you.] [I have asked to keep it to the project.|I stopped answering, and then came the questions why.|I blocked one account and got a mail instead.]",
    evidence: ["chat", "statement"],
    resolved: [
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
    told: 'We agreed at the start on what our story is not about. [The game leader brought it in anyway, with my character.|Another player kept describing what his character does to mine.|When I lifted the stop card it was called "breaking the mood".] [I said stop a second time and left the table.|The others helped me and we ended the evening early.|Nobody else said a word.] [It sounds like a game and it did not feel like one.|I would like to play again, only not with him.]',
    spots: ["Role-playing room upstairs"],
    resolved: [
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
    told: "[The same player|Somebody I don't know well] chooses the seat next to me [each week|every time], and pulls the chair over until our arms touch. [I moved, he moved.|There were three free chairs.|Under the table his knee is against mine and it is no accident.] [I have changed tables twice.|I don't know how to say it without a scene.|A friend now sits between us.]",
    evidence: ["plan"],
    spots: ["Table 7", "Table 12, by the stage", "Big hall", "Role-playing room upstairs"],
  },
  // Threats or violence
  {
    kind: "threats",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "high", "high"],
    titles: [
      "[Argument|Quarrel] [got loud|turned into shoving] [near the exit|at the bar|over a seat]",
      "[Pushed|Shoved] in [a quarrel|the queue]",
      "[Two men|Two guests] [came to blows|nearly fought] over [a chair|nothing]",
      "A [shove|push] and [a fallen chair|loud words] [by the stairs|in the foyer]",
    ],
    told: "[Two guests|Two men who seem to know each other|A guest and one of the crew] began to argue about [a seat|a place in the queue|a spilled drink]. [It ended with one pushing the other against the wall.|There was a shove, and a chair went over.|One raised his fist and was held back by friends.] [Nobody is hurt.|Somebody has a bruised elbow and says that it is fine.|Both have left by different doors.] [I write this down so that you know who to look out for.|The people around were scared, some with children.]",
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
    told: 'I was the judge. [After my ruling|When I had explained the rule a second time|At the end of the match] [the player leaned over the table and said that I would regret it|he said that he knows which bus I take|he told me that we would "settle it outside"]. [He has a temper and I have heard such things before, but not like this.|Two people at the next table heard it.|I walked home with others.]',
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
    told: "I [removed a post|closed a thread|gave someone a warning] [on Tuesday|last night|this morning]. [An hour later|The same evening|Since then] I got [a message from a new account|a mail to my private address|several messages] saying that [they know where I live|I should look over my shoulder|there are ways to reach me]. [I don't think that it will come to anything, but I slept badly.|My address is not hard to find.|I have told my family.] [Screenshots are attached.|I have saved everything with its headers.]",
    evidence: ["chat", "statement"],
    resolved: [
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
    told: "[When he lost|After the last turn|In the middle of the second game] he [threw the box across the table|swept everything to the floor|threw his dice at the wall]. [A corner of it hit a girl on the hand, it left a red spot.|Nobody was hit.|They passed close to my face.] [He apologised, to the owner of the game.|He left at once.|It is the second time this season.]",
    evidence: ["photo"],
  },
  {
    kind: "threats",
    where: IN_PERSON_SETTINGS,
    severity: ["high", "critical"],
    titles: [
      "[Someone|A guest] [blocked the door|would not let me leave]",
      "[Kept from leaving|Held up] in [a side room|the corridor]",
      "He [stood in|filled] the doorway [until I answered|and smiled]",
      "[Could not|Was not able to] get [past him|out of the room]",
      "[Cornered|Held back] after [a talk|a game|a discussion]",
    ],
    told: "[I wanted to end the conversation and go.|I had said that I don't want to talk about it.|We were alone in the corridor.] [He stood in the doorway and said that we were not done.|She held the door shut until I answered.|Each time I stepped aside he stepped aside as well.] [After a minute or two someone came and I got out.|I called out and he moved.|I was let go when my phone rang.] [I am with friends now.|I don't want to be alone in that part of the building.]",
  },
  // Discrimination or exclusion
  {
    kind: "exclusion",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "medium", "high"],
    titles: [
      "[No way in|Locked ramp] for [my wheelchair|wheelchairs] [at the side door|today]",
      "[Lift|Ramp] [out of order|blocked] and [nobody with a key|no notice]",
      "[Step-free|Accessible] entrance [locked|closed] [all morning|again]",
    ],
    told: '[The ramp was locked|The lift was out of order|The step-free door was closed] and [nobody knew who had the key|the sign pointed to it all the same|I was asked whether I could "just do the three steps"]. [I waited outside for half an hour.|I missed the first session.|Two strangers offered to carry me. They meant well, and no.] [I had written about it beforehand.|It was promised on the website.|I would like to know that it is open tomorrow.]',
    evidence: ["photo", "plan"],
    thing: true,
    spots: ["Side door", "Main entrance", "Ramp to the yard", "Lift, ground floor"],
    resolved: [
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
    told: 'There was an open table with [two|three] free chairs. [When I asked, it was full. Ten minutes later friends of theirs sat down.|A woman who is new here asked, and was told that it is "rather complicated".|I was told that they want "serious players".] [It is not the first time at that table.|She went home after that.|I watched it happen to two people who don\'t look like them.]',
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
    told: '[The live captions went off after ten minutes and did not come back.|The hearing loop in this room is off.|Somebody found the captions "distracting", and so they were turned off.] [I could not follow the rest.|There are at least three of us who need them.|I asked the crew, who asked me to ask somebody else.] [It was announced for all sessions.|The recording has none either.|I paid for this ticket like everybody else.]',
    thing: true,
    resolved: [
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
    told: "[I wanted to pray at noon|I needed ten quiet minutes|I get overwhelmed in crowds and rely on the quiet room] and found the room [full of boxes from the sponsors|in use for a phone call, with no end in sight|locked]. [I ended up on the stairs.|I went home at two because of it.|The volunteers were kind and had no key.]",
    evidence: ["photo"],
    thing: true,
    spots: ["Quiet room"],
    resolved: [
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
    told: "[I had a seat in the workshop.|There were free seats.|I had signed up weeks ago.] [The trainer looked at me and asked whether I was in the right room, and then again.|At the door I was asked if I was somebody's partner.|He said that it would be too hard for me and that the design track was next door.] [The men before and after me were not asked.|I have fifteen years in this field.|I stayed, and was not called on once.]",
  },
  {
    kind: "exclusion",
    where: IN_PERSON_SETTINGS,
    severity: ["medium"],
    titles: [
      "[Assistance dog|Guide dog] [not let in|refused at the door]",
      "[Argument|Trouble] about my [assistance dog|guide dog] at the entrance",
      "[Security|The doorman] did not know [the rule on|about] [assistance dogs|guide dogs]",
      "My dog [works|is my eyes], and had to [wait outside|argue for me]",
    ],
    told: "[I come with an assistance dog, with papers.|My guide dog wears a harness that one can't miss.|I had announced my dog when I registered.] [Security would not let us in.|I was told that dogs wait outside.|Someone complained about an allergy and I was asked to sit in the last row, alone.] [It took twenty minutes and two calls.|In the end a volunteer walked us in.|I would like it to be clear for tomorrow.]",
    spots: ["Main entrance", "Check-in table", "Registration desk"],
    resolved: [
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
    told: "[Whenever I join the conversation|As soon as the two of us from abroad come in], [three people|a few regulars] change to a language that [we|some of us] don't speak. [I asked in a friendly way and was told to learn it.|They laugh and look over.|It would be fine if it were not each time and only then.] [The rest of the group is lovely.|I don't want anybody punished, only for it to stop.]",
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
    told: "[My son is four months old and was asleep.|The baby made a few sounds, not more.|I stood at the back, near the door.] [An attendee told me that this is no place for children, and the room helper agreed.|I was asked to leave, in front of everyone.|Someone turned around each time and hissed.] [The invitation said that children are welcome.|I followed the rest from the corridor.]",
  },
  // Stalking or following
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
    told: "[Since yesterday|All morning|For two days] the same person sits [behind me|one row back|next to the door] in each session I go to. [I changed plans at the last minute and he came in a minute later.|I left a talk after five minutes, and he did, too.|I waited in the washroom for a quarter of an hour. He was in the corridor.] [We have not spoken.|I don't know him.|I know him from an earlier job.] [Maybe it is nothing. It does not feel like nothing.|I would like someone to walk with me this evening.]",
    evidence: ["notes", "plan"],
  },
  {
    kind: "following",
    where: IN_PERSON_SETTINGS,
    severity: ["high", "high", "critical"],
    titles: [
      "[Followed to the tram|Followed to my stop] after [the evening|closing]",
      "Someone [walked behind me|followed us] to the [hotel|station]",
      "[Got off|Got on] where I [got off|got on]: [a guest|somebody from here]",
      "[Did not feel|Was not] alone on the [way home|walk to the hotel]",
      "A man with our badge [behind me|after me] [in the dark|all the way]",
    ],
    told: "[I left a little before ten.|We were two and left together.|I went out for some air and then home.] Somebody from [here|the event|the hall] walked behind [me|us], [crossed when I crossed|stopped when we stopped|got on the same tram and off at my stop]. [I went into a shop until he had gone.|I called a friend and stayed on the phone.|At the hotel the night porter sent him away.] [I would know him again.|He had a badge on, blue lanyard.|I took a taxi the next day.]",
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
    told: "[For three weeks|Since the call last month|For some time now] one account [joins each channel within minutes after me|answers whatever I write, wherever|puts a heart under posts of mine from years ago]. [I have muted them, and others ask me who that is.|When I left a channel they asked in public where I was.|It looks friendly one message at a time. It is not, taken together.] [I have written a list with dates.|Please don't tell them that it was me.]",
    evidence: ["chat", "notes"],
    looking: [
      "Saved the list of dates. [We talk to the account's owner this evening, two of us.|Asked the moderators what they see from their side.]",
    ],
    resolved: [
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
    told: "[Three people|Two colleagues|A volunteer] told me that somebody asks for me: [which hotel I am in|when I leave|which sessions I am going to]. [He says that we are friends. We are not.|He describes me quite exactly.|I once worked with him, and I left because of him.] [The desk did not tell him, thank you for that.|I am changing hotels.|I would like to know if he asks again.]",
  },
  {
    kind: "following",
    where: ["online"],
    severity: ["medium", "high"],
    titles: [
      "[New account|Another account] after [a block|I blocked someone]",
      "Blocked person is [back|here again] [under another name|with a new account]",
    ],
    told: '[In spring|Some weeks ago|Last month] I blocked somebody who would not leave me alone. [Since Sunday there is a new account with the same phrases.|A "new member" knows things that only he knows.|The third account by now; same typos, same hours.] [I have not answered.|He calls me by a nickname that nobody uses here.|I attach what I have.]',
    evidence: ["chat"],
    looking: [
      "Comparing the accounts with the moderators. [Looks like the same person.|Same hours, same phrases.]",
    ],
    resolved: [
      "All accounts of that person are blocked for good; sign-ups from there are looked at by hand.",
      "Turned out to be somebody else, who was shocked to hear it and changed the nickname.",
    ],
  },
  // Photos or recordings against someone's will
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
    told: "I wear the red lanyard for a reason. [Someone with a large camera took pictures of our table from very near.|A guest filmed along the row and stopped at me.|When I held my hand up he took it as a pose.] [I asked to have them deleted. He said he would look.|She said it was for the official album.|I was told that I could have moved.] [I must not be found online with where I am.|It is about my safety, and I don't want to explain it to each photographer.]",
    evidence: ["photo"],
  },
  {
    kind: "pictures",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "high"],
    titles: [
      "[My child's picture|A child's photo] [posted|online] [without asking|with the name]",
      "Pictures of [children|my daughter] in [a public album|somebody's feed]",
      "[Found|There is] a picture of [my son|our child] [online|on a stranger's page]",
    ],
    told: "[My daughter is nine.|Our children were at the kids' table.|I found a picture of my son.] It is in [a public album|somebody's feed|the gallery under the event's tag], [with her name under it|her face quite clear|taken from across the room]. [Nobody asked us.|I asked for it to be taken down two days ago.|I don't know who took it.] [I would like it gone, and all copies.|I don't think that it was meant badly.]",
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
    told: "We talked [in the corridor|over lunch|behind the stage] about [a colleague's health|a job one of us is leaving|something that is not public]. [Then we saw the phone on the ledge with the recording light on.|A man next to us played it back to a friend the next day.|Somebody quoted it word for word in a post.] [He says that it is for a podcast.|He took the phone and went.|We asked to have it deleted and were laughed at.]",
  },
  {
    kind: "pictures",
    where: ["online"],
    severity: ["medium", "high"],
    titles: [
      "Screenshot of [a private channel|my direct messages] [passed on|posted elsewhere]",
      "[Private thread|Support thread] [shared|made public] without asking",
    ],
    told: '[I wrote something personal in a closed channel.|Our support channel is private, by its own rules.|I told one person why I stepped back.] [A screenshot of it is on another site.|My manager got a copy.|It was posted in the large channel "for transparency".] [Only eleven people could read it.|My name is visible, others are blacked out.|I am not angry at the channel. I want to know how to trust it again.]',
    evidence: ["chat"],
    resolved: [
      "Taken down, and whoever shared it lost access to the channel. The rules now stand at its top.",
      "The person who passed it on has apologised to the whole channel. It was meant for one friend, and that was one too many.",
    ],
  },
  {
    kind: "pictures",
    where: IN_PERSON_SETTINGS,
    severity: ["low", "medium"],
    titles: [
      "[Live stream|Stream] shows people who [asked not to be in it|had said no]",
      "[Filmed for a stream|On a live stream] without [a sign|being asked]",
      "[My face|We are] in [somebody's stream|a live video] without [a yes|being asked]",
      "Camera on [the first rows|our table], [no sign|not a word]",
    ],
    told: "[There was a stream from the table next to ours.|Somebody walked through the hall with a live stream running.|A camera on the stage showed the first rows.] [We had asked at the start not to be in it.|There was no sign and nobody said a word.|I learned of it from a message of my mother's.] [It is still online, and we are in the first half hour.|He was nice about it, and moved the camera by ten centimetres.]",
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
    told: 'We had a call with [six|eight|about ten] people. [There was no notice of a recording.|The notice was off; somebody recorded the screen.|At the end someone said "I\'ll put it up".] [I talked about an illness in my family.|It was a call to think aloud, with half-baked ideas.|One of us is not allowed to be seen by their employer.] [The file is public.|I asked to take it down, no answer so far.]',
    resolved: [
      "The recording is deleted; the person who made it showed us. Calls now begin with a question about it.",
      "Cut to the part that everyone agreed to. [The host|The team] asks at the start from now on.",
    ],
  },
  // Messages or posts online
  {
    kind: "messages",
    where: ["venue", "online"],
    severity: ["low", "medium"],
    titles: [
      "[Mocking posts|Nasty posts] about [a speaker|the keynote speaker] under [our tag|the event's tag]",
      "[Thread|Posts] [tearing down|making fun of] [a talk|a first talk]",
    ],
    told: "[While the talk was still going on|Half an hour after the talk|Since last night] there [is a thread|are posts] about [the speaker's voice and clothes|how she \"got the slot\"|his nerves on stage]. [It has forty replies by now, most of them cruel.|Two of the accounts belong to people who are here.|It uses our tag, so everybody sees it.] [The speaker has seen it.|She has taken her account down.|I don't know what you can do. I think that you should know.]",
    evidence: ["chat"],
  },
  {
    kind: "messages",
    where: ALL_SETTINGS,
    severity: ["low", "medium"],
    titles: [
      "[Hostile|Abusive] messages from [a stranger|an unknown account|someone here]",
      "[Flood of messages|Dozens of messages] after [a disagreement|one post]",
      "[Thirty|More than thirty] messages since [last night|yesterday]",
      "[Message after message|Messages at night] from [the same account|one person]",
      "[Please help|I need help] with [messages|an account] that won't stop",
    ],
    told: '[We disagreed about something small.|I wrote one sentence in the chat group.|I don\'t even know what I did.] [Since then I got thirty-one messages, the last at four in the morning.|There is a new one each hour, from "you people" to worse.|He sends the same picture again and again.] [I have answered none of them.|I asked once to stop.|I have muted it, and I still see the number grow.]',
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
    told: "[In an argument|Under an old thread|In the off-topic channel] somebody posted [where one of our moderators works and lives|a member's phone number|my full name with my city]. [It was up for about an hour.|It is still there as I write this.|It was removed and then posted again.] [There were strange calls since.|The person is not well and would like to stay out of this.|I am the person. I would like it gone, and to know who saw it.]",
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
    told: "[For the third evening|Since Friday|Every time the news is bad] the same [four|five] people fight about politics where [new people ask for help|we plan the release]. [Questions go by without an answer.|A moderator asked twice to take it elsewhere.|It gets personal each time.] [I don't take sides here. I want the channel back.|Two translators have left because of it.]",
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
    told: '[I got a message from "the moderation team".|An account with nearly the same name as one of the moderators writes to new members.|Three people showed me the same message.] [It says that we are going to lose our accounts unless we send our details.|It hands out "warnings".|It asks for a phone number "for verification".] [I did not answer.|One person has answered and is worried now.|The name differs by one letter.]',
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
    told: 'The page about [our history|the contributors|the translation team] now has [a paragraph about how one maintainer "ruined" it|a nickname where my name was|a joke about somebody\'s illness]. [It has been there for nine days.|It was undone, and done again.|The edit comes from somebody with rights.] [I could change it back. I would rather that somebody talked with the author.|Links to both versions are in the attachment.]',
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
    told: "[After the second evening|Since the team was picked|For two weeks] the group chat has one subject: [how badly one of us plays|who may stay in the team|somebody's \"smell\"]. [There are stickers of her face.|He has not written a word in it for a week.|It goes on after midnight, and some of us are pupils.] [I have written that I don't find it funny.|I should have said something sooner.|She asked me to report it, and not to name her.]",
    evidence: ["chat"],
  },
  // Safety of a place or an activity
  {
    kind: "safety",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "high"],
    titles: [
      "Emergency exit [blocked|blocked by boxes|behind stacked chairs]",
      "[Boxes|Stacked chairs] in front of [an emergency exit|the fire door]",
      "[Second way out|Fire exit] [full of boxes|can't be opened|not lit]",
      "If there were a fire in [this room|the upper room]",
      "[Tables|Chairs|A banner] in the [escape route|way of the fire door]",
    ],
    told: "[The emergency exit|The fire door|The second way out] is blocked by [boxes|stacked chairs|a banner and two tables]. [I moved what I could.|I told someone in a crew shirt an hour ago.|It was the same yesterday.] [The room holds far more people than the one door can take.|The sign above it does not light up either.|No hurry for me, but please before tonight.]",
    evidence: ["photo", "plan"],
    thing: true,
    resolved: [
      "Cleared at once, photo taken afterwards. It is on the morning round now.",
      "The house moved its chairs and mended the sign. We check each door before we open.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_SETTINGS,
    severity: ["low", "low", "medium"],
    titles: [
      "[Loose cable|Cable across the walkway]: [somebody fell|people trip]",
      "[Tripped over|Fell over] [a cable|a loose mat|an edge of the stage]",
      "[Nearly|Almost] everyone stumbles [at the stage|by the coffee]",
      "[Mat|Step] that [people fall over|one can't see]",
    ],
    told: "There is [a cable across the walkway|a mat that slides|a step without a mark], and [I have seen three people stumble|an elderly guest fell, and got up with help|I fell myself]. [My knee is a bit blue. No more than that.|Someone has put a chair over it, which is not better.|It would take two strips of tape.]",
    evidence: ["photo"],
    thing: true,
    resolved: [
      "Taped down and marked. [The technician apologised.|First aid looked after the knee.]",
      "Cable moved to the ceiling, and the mat is gone.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "medium", "high"],
    titles: [
      "[Nuts|Allergens] not [marked|labelled] at [the buffet|lunch|the snack bar]",
      "[Allergic reaction|Close call with an allergy] [after lunch|at the buffet]",
    ],
    told: '[The labels were on the wrong dishes.|There were no labels at all.|The "vegan" cake had nuts in it, which nobody had written down.] [I am allergic and noticed after one bite; I had my medicine with me.|A friend had a reaction, mild, and is better now.|I asked at the counter, and they guessed.] [Please check it before dinner.|The caterer was kind and overworked.]',
    evidence: ["photo"],
    thing: true,
    spots: ["Lunch, second floor", "Buffet", "Snack bar"],
    looking: [
      "Took the dish off the table and went to see the caterer. [They are checking all labels.|They did not know of the nuts either.]",
    ],
    resolved: [
      "Every dish has a label now, and somebody checks them before the doors open.",
      "The caterer has it in writing, and we keep a list of ingredients at the desk. The guest is well.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_SETTINGS,
    severity: ["low", "medium"],
    titles: [
      "[Room|Hall] [dangerously crowded|far too full] and [hot|without air]",
      "[Somebody fainted|A guest felt faint] in [a crowded room|the heat]",
      "[Too many people|Twice too many] in [the small room|the upper room]",
    ],
    told: "[People stood in all the aisles.|There were twice as many people as chairs.|The doors could not be closed any more.] [A woman near me felt faint and had to climb over others to get out.|The air was gone after twenty minutes.|If anything had happened, nobody would have got out.] [Could you count people at the door?|The talk was great, by the way.|Please move the next one to a larger room.]",
    thing: true,
    spots: ["Room 3", "Room 5", "Big hall", "Workshop room 2"],
    resolved: [
      "People are counted at the door from now on. The next session moved to the larger room.",
      "Two rooms swapped, doors kept open, and the windows can be opened again.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_SETTINGS,
    severity: ["medium", "high"],
    titles: [
      "[Very drunk guest|Guest who had too much] [needs help|needed help] [at the social|outside]",
      "[Somebody|Young guest] [barely able to stand|very drunk], [alone|with strangers]",
    ],
    told: "[At the social|Outside the side door|Near the stairs] there was somebody who had drunk [far more than is good|until they could not stand]. [Two strangers offered a ride. I did not like the look of it and stayed.|Friends had lost sight of them.|They did not know which hotel they were in.] [We found a friend in the end.|A volunteer called a taxi and went along.|I gave water and waited. Your team took over, thank you.] [Maybe have someone at the door at that hour.|I would like to know that they got home.]",
    thing: true,
    spots: ["Evening social", "Side door", "In front of the building"],
    looking: [
      "With the guest now. [Friends are on their way.|Looking for somebody who knows them.] Water, a blanket, no crowd.",
    ],
    resolved: [
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
    told: "A child of about [five|six|seven] was [on the stairs|at the snack bar|near the exit], alone. [We asked around for half an hour until we found the father in a game.|The mother had thought that we look after children.|It was after nine.] [The child was calm and won two games against me.|Nothing happened. It could have.|Maybe write on the door until when, and that we are no kindergarten.]",
    thing: true,
    spots: ["Snack bar", "Stairs", "Check-in table", "Big hall"],
    looking: [
      "The child is with us at the desk and has a biscuit. [Calling the parents by microphone.|Two of us go from table to table.]",
    ],
    resolved: [
      "Parents found and spoken with. A sign on the door says from now on who looks after children, and until when.",
      "Back with the family. Children get a wristband with a phone number at check-in.",
    ],
  },
  {
    kind: "safety",
    where: IN_PERSON_SETTINGS,
    severity: ["low", "medium"],
    titles: [
      "[Unlit path|No light] [to the car park|behind the building] [at night|after ten]",
      "[Dark way|Dark path] to the [bus|tram|car park]",
      "[Lamps|Lights] [off|broken] behind [the building|the hall]",
    ],
    told: "[The lamps behind the building are off.|The path to the car park has no light at all.|After ten the only open way leads through the dark yard.] [I waited for others to walk with.|Somebody stood there smoking and I turned back.|An older player stumbled on the steps.] [A lamp or a helper at the gate would do.|I would stay longer if it were not for that path.]",
    evidence: ["photo", "plan"],
    thing: true,
    spots: ["Path to the car park", "Yard behind the hall", "Way to the tram"],
    resolved: [
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
    told: '[A member\'s account posts a link to a page that looks like our sign-in.|New members get a link "to finish registration".|There is a link to a "security update" in three channels.] [It asks for the password.|I entered mine before I noticed, and have changed it since.|It downloads something. I did not open it.] [The account probably was taken over.|Please warn the others.]',
    evidence: ["chat"],
    looking: [
      "Links removed as far as we see them. [The account is locked.|Telling the moderators of all channels.]",
    ],
    resolved: [
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
    told: "[The opening film had ten seconds of flashing light.|At the social there was a strobe.|One talk had slides that blinked, full screen.] [There was no warning.|I have epilepsy and had to cover my eyes and get out.|I have had a migraine since.] [A sentence beforehand would have been enough.|I am fine now. The next one may not be.]",
    thing: true,
    spots: ["Large hall", "Evening social"],
    looking: [
      "Asked the stage crew [which parts flash|for the running order], and went to see how the guest is.",
    ],
    resolved: [
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
    told: "[In the painting corner|At the end of the long table] somebody left [a craft knife|a hot glue gun, switched on|open thinner] [within reach of the children|where everyone puts their bags|and went to play]. [A boy had it in his hand when I came.|I put it away and left a note.|The smell went through the whole room.] [No harm done.|Perhaps a box with a lid?]",
    evidence: ["photo"],
    thing: true,
    spots: ["Painting corner"],
    resolved: [
      "There is a box with a lid now, and a grown-up who has the key.",
      "Painting moved to the room with windows, tools are handed out one by one.",
    ],
  },
  // Less frequent stories
  {
    kind: "insults",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Panel chair|Moderator] [belittles|talks down to] [the only woman on it|a panellist]",
      "[Interrupted|Cut short] each time, [unlike the men|unlike the others]",
    ],
    told: '[Four people were on the panel.|I counted, because I could not believe it.|The panel had one woman.] [She was interrupted eleven times, the others once or twice.|Her answers were repeated by the chair "in simpler words".|He introduced her by her children and the men by their work.] [She took it with humour. I would not have.|Part of the audience left.|It is on the recording.]',
  },
  {
    kind: "insults",
    where: ["venue"],
    severity: ["low"],
    titles: [
      "[Crude jokes|Jokes below the belt] [in a talk|on the slides|at the closing]",
      "[Slides|A demo] with [jokes about wives|a crude picture]",
    ],
    told: "[The talk was good until the slide with the wives.|For a laugh, the demo data were body measurements.|At the closing there was a string of jokes that I would not tell anywhere.] [Half of the room laughed, the other half looked at the floor.|I had recommended the talk to a student of mine.|Nobody had looked at the slides beforehand, it seems.] [He is nice otherwise, maybe a word is enough.|Please cut it from the recording.]",
    evidence: ["photo"],
  },
  {
    kind: "insults",
    where: ["games"],
    severity: ["medium", "high"],
    titles: [
      "Slur [used|shouted] at [table 4|a player|the final]",
      '[Racist|Hateful] [remark|nickname] "as part of the game"',
    ],
    told: '[A player has a "funny" nickname for another one, and it is a slur.|When the dice went against him he used a word that I won\'t write here.|A character in the game was played as a caricature, accent and all.] [When I said something I heard that it is only a game.|The person it was aimed at smiled, the way one does.|The people around pretended that they had not heard it.] [I have not slept well over having said so little.|We have been playing together for two years.]',
  },
  {
    kind: "attention",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "[Speaker|Well-known speaker] [expects|asks for] more than [a talk about work|advice]",
      "[Mentor|Reviewer] mixes [help with my work|a job] with [an evening alone|dinner for two]",
    ],
    told: "[He offered to look at my work.|She is on the jury.|A well-known speaker said that he could help me.] [The meeting then was to be in the hotel bar, late, and only the two of us.|It came with a hand on my knee.|When I suggested lunch instead the offer was gone.] [I depend on the goodwill of people like that.|I am told that I am not the first.|I don't want my name to come up, for now.]",
    evidence: ["chat"],
  },
  {
    kind: "attention",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Stared at|Being stared at] [through a whole session|all through lunch]",
      "Somebody [stares|watches me] and [does not look away|smiles]",
    ],
    told: "[Somebody in my row turned his chair so that he could look at me and not at the stage.|At lunch a man stared at us for half an hour.] [I looked back, moved seats, and looked up again: the same.|A friend asked him if all was well, and he said that looking is not forbidden.] [I know that it sounds like little.|It spoiled the afternoon for me.|Perhaps others have noticed it as well.]",
  },
  {
    kind: "threats",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "[Threatened|Warned off] after [a critical question|my talk]",
      '"[Watch out|We\'ll see] what that does to your [job|career]"',
    ],
    told: "[I asked a critical question.|My talk had named a security problem in somebody's product.] [Afterwards two people took me aside and said that I should think about my career.|A man in a suit said that they have lawyers, and that they know my manager.|I was told in a friendly voice that this could become unpleasant for me.] [One of them wears a sponsor's badge.|I wrote it down right after, word for word.|I would like to know whether you can do something about a sponsor.]",
    evidence: ["notes", "statement"],
  },
  {
    kind: "exclusion",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Older|Older woman] [passed over|not taken seriously] at [the job wall|the hackathon]",
      '"[Isn\'t there|Go and find] somebody your own age?"',
    ],
    told: "[I am sixty-three and I write compilers.|I look my age.|I came back to this work after twenty years.] [At the hackathon I was asked whether I am waiting for my son.|Two teams said that they were full, and then took others.|At the job wall someone explained to me what a browser is.] [I laughed about it until the third time.|I would rather have spent the day differently.]",
  },
  {
    kind: "exclusion",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Girls|Women] get [the small table|the rules explained twice]",
      '"[She|Your girlfriend] can [watch|keep score]"',
    ],
    told: "[I have been playing this for ten years.|My friend and I signed up together, both of us for the league.] [The tournament list had me down as a guest.|He got a deck, and I got a chair to watch from.|Every move of mine was explained to me, by people whom I have beaten.] [It wears one down.|My friend said something; nobody listened to me.|We would like to come back to a different evening.]",
  },
  {
    kind: "following",
    where: ["games"],
    severity: ["medium", "high"],
    titles: [
      "[Waits for me|Stands waiting] at [the exit|the bus stop] every [Thursday|week]",
      'A [player|regular] who ["happens" to be|is always] on my way home',
    ],
    told: "[A regular offers me a lift each week, and each week I say no.|For a month the same player has left whenever I leave.] [Last time he drove next to me at walking pace.|He now waits at the bus stop, though he comes by car.|He asked a friend of mine which days I work.] [I come at other times now.|He may mean well. I am afraid all the same.|I would be glad if somebody saw me to the bus.]",
    evidence: ["notes"],
  },
  {
    kind: "pictures",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Filming|Recording] [our table|role-playing scenes] for [a channel|laughs]",
      "[Clip|Video] of [me losing|my scene] [passed around|online]",
    ],
    told: "[When I act out my character I let go, and that was filmed.|A clip of me losing and swearing goes around.|Somebody puts the best scenes of the evening online.] [We had agreed on no phones at the table.|I was asked afterwards, by when it had two hundred views.|My students have seen it.] [I would like it to be taken down.|The others find it funny, so I feel like a spoilsport.]",
    evidence: ["chat"],
    spots: ["Table 7", "Role-playing room upstairs", "Games library"],
  },
  {
    kind: "messages",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Anonymous notes|Cards] on the [feedback wall|poster wall] about [a person|volunteers]",
      "[Feedback wall|Question tool] used for [insults|personal attacks]",
    ],
    told: "[The question tool is anonymous.|There is a wall where people pin their feedback.] [Since noon it has remarks about one volunteer's weight.|Three of the questions for the panel were about a speaker's private life, shown on the big screen.|Somebody has written a name, and next to it something that is a lie.] [It was up for twenty minutes before someone noticed.|I took the card down and have kept it.|Could questions be read before they are shown?]",
    evidence: ["photo"],
  },
  {
    kind: "messages",
    where: ["online"],
    severity: ["low", "medium"],
    titles: [
      "[Translators|A translator] [attacked|insulted] over [one word|a wording]",
      "[Pile-on|Ganging up] in the [translators' room|mailing list]",
    ],
    told: "[We changed one word in the translation.|It was about a comma, I am not joking.] [By the evening there were fifty mails, and most of them about the person who did it.|People who had never written before came to tell her off.|Somebody dug out an old mistake of hers and pinned it.] [She has handed in her role.|I would like the pin to go, and a moderator for a week.]",
    evidence: ["chat"],
  },
  {
    kind: "exclusion",
    where: ["online"],
    severity: ["low"],
    titles: [
      "[Screen reader|Keyboard] users [locked out of|can't use] [the poll|the new sign-up]",
      "[Vote|Poll] [without|not open to] [blind members|people with screen readers]",
    ],
    told: "[The vote on the logo is pictures without a word of description.|The new sign-up has a puzzle that I can't hear and can't see.] [I asked for another way and was told to let somebody else do it for me.|The answer was that we are too few.] [It is a vote. I would like to cast my own.|I am happy to help with a better one.]",
    evidence: ["notes"],
    thing: true,
    resolved: [
      "The vote was opened again with descriptions, and runs a week longer.",
      "The puzzle is gone from the sign-up. Two members test such things with us from now on.",
    ],
  },
  {
    kind: "safety",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Badges|Lists] with [names and room numbers|private numbers] [left lying around|in the open]",
      "[Guest list|Helpers' list] [readable by anyone|left at the desk]",
    ],
    told: "[At the desk there is a list with names, phone numbers and hotels, for anybody to read.|The helpers' plan hangs in the corridor, with private numbers on it.] [I turned it over.|Someone took a picture of it while I stood there.|I have good reasons not to be found.] [Please lock it away.|A first name would do.]",
    evidence: ["photo"],
    thing: true,
    spots: ["Registration desk", "Corridor by the crew room"],
    resolved: [
      "Lists are locked away, and there are only first names on the new ones. The picture was deleted in front of us.",
      "Taken down. Everybody who was on it has been told.",
    ],
  },
  {
    kind: "safety",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Shelf|Games shelf] [about to tip over|not fixed to the wall]",
      "[Stage|Platform] without [a rail|a mark at the edge]: [a boy fell|somebody fell]",
    ],
    told: "[The large shelf in the library leans forward when one takes out a box.|The platform at the end of the hall has no edge to be seen.] [A child hung on to it.|A boy fell, half a metre, and was more frightened than hurt.|I wedged a book under it.] [Two screws would do.|I can bring a drill on Thursday.]",
    evidence: ["photo"],
    thing: true,
    spots: ["Games library", "Stage in the big hall"],
    resolved: [
      "Fixed with four screws, and it does not move any more.",
      "The edge is marked in yellow, and the rail comes next week.",
    ],
  },
];

/** Possible endings of a report; mostly blank, so that most reports end with the story. */
export const NARRATIVE_ENDINGS: readonly string[] = [
  "",
  "",
  "",
  "Please let me know that you got this.",
  "I can tell you more in person, preferably not at the desk.",
  "A friend was with me and is willing to talk with you.",
  "I have not told anybody else so far.",
  "I would rather not have my name mentioned to the other person.",
  "Thank you for being there.",
  "If it is easier, call me; I am around until the evening.",
  "I don't expect anything. I wanted it to be written down somewhere.",
  "I am sorry if this is not the right place for it.",
  "Take your time. It is not urgent for me.",
  "I hope that you hear the other side as well.",
];

/** Who was involved, as far as the reporter knows; blank if not stated. */
export const PARTIES: Readonly<Record<EventSetting, readonly string[]>> = {
  venue: [
    "",
    "",
    "A man in his forties, grey jacket, blue lanyard",
    "Two people from the same company, names unknown",
    "[Somebody|A person] from the stage crew",
    "A woman with a green backpack and a sponsor badge",
    "I know the person's name and would rather tell you in person",
    "One of the speakers of the morning",
    "The person sat next to the aisle, fourth row",
    "Tall, short dark hair, [a conference shirt of an earlier year|a cap with a bird on it]",
  ],
  online: [
    "",
    "",
    "The account is in the screenshots",
    "A member since [spring|last year], active in the evenings",
    "Two accounts, maybe of the same person",
    "A long-time contributor",
    "An account made this week",
    "I only know the nickname",
  ],
  games: [
    "",
    "",
    "[One of the regulars|A regular] at table [3|5|9|12]",
    "A player of the visiting team",
    "A father who came with two children",
    "Somebody with a green badge, sadly",
    "First-timer, red pullover",
    "The name is on the score sheet",
    "Two teenagers, about sixteen",
    "I would rather say it in person",
  ],
};
