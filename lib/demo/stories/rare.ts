import { type ReportStory } from "./story.ts";

/** Stories of kinds that are rarely reported. */
export const RARE_KIND_STORIES: readonly ReportStory[] = [
  {
    kind: "insults",
    where: ["venue"],
    severity: ["low", "medium"],
    titles: [
      "[Panel chair|Moderator] [belittles|talks down to] [the only woman on it|a panellist]",
      "[Interrupted|Cut short] each time, [unlike the men|unlike the others]",
    ],
    description:
      '[Four people were on the panel.|I counted, because I could not believe it.|The panel had one woman.] [She was interrupted eleven times, the others once or twice.|Her answers were repeated by the chair "in simpler words".|He introduced her by her children and the men by their work.] [She took it with humour. I would not have.|Part of the audience left.|It is on the recording.]',
  },
  {
    kind: "insults",
    where: ["venue"],
    severity: ["low"],
    titles: [
      "[Crude jokes|Jokes below the belt] [in a talk|on the slides|at the closing]",
      "[Slides|A demo] with [jokes about wives|a crude picture]",
    ],
    description:
      "[The talk was good until the slide with the wives.|For a laugh, the demo data were body measurements.|At the closing there was a string of jokes that I would not tell anywhere.] [Half of the room laughed, the other half looked at the floor.|I had recommended the talk to a student of mine.|Nobody had looked at the slides beforehand, it seems.] [He is nice otherwise, maybe a word is enough.|Please cut it from the recording.]",
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
    description:
      '[A player has a "funny" nickname for another one, and it is a slur.|When the dice went against him he used a word that I won\'t write here.|A character in the game was played as a caricature, accent and all.] [When I said something I heard that it is only a game.|The person it was aimed at smiled, the way one does.|The people around pretended that they had not heard it.] [I have not slept well over having said so little.|We have been playing together for two years.]',
  },
  {
    kind: "attention",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "[Speaker|Well-known speaker] [expects|asks for] more than [a talk about work|advice]",
      "[Mentor|Reviewer] mixes [help with my work|a job] with [an evening alone|dinner for two]",
    ],
    description:
      "[He offered to look at my work.|She is on the jury.|A well-known speaker said that he could help me.] [The meeting then was to be in the hotel bar, late, and only the two of us.|It came with a hand on my knee.|When I suggested lunch instead the offer was gone.] [I depend on the goodwill of people like that.|I am told that I am not the first.|I don't want my name to come up, for now.]",
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
    description:
      "[Somebody in my row turned his chair so that he could look at me and not at the stage.|At lunch a man stared at us for half an hour.] [I looked back, moved seats, and looked up again: the same.|A friend asked him if all was well, and he said that looking is not forbidden.] [I know that it sounds like little.|It spoiled the afternoon for me.|Perhaps others have noticed it as well.]",
  },
  {
    kind: "threats",
    where: ["venue"],
    severity: ["medium", "high"],
    titles: [
      "[Threatened|Warned off] after [a critical question|my talk]",
      '"[Watch out|We\'ll see] what that does to your [job|career]"',
    ],
    description:
      "[I asked a critical question.|My talk had named a security problem in somebody's product.] [Afterwards two people took me aside and said that I should think about my career.|A man in a suit said that they have lawyers, and that they know my manager.|I was told in a friendly voice that this could become unpleasant for me.] [One of them wears a sponsor's badge.|I wrote it down right after, word for word.|I would like to know whether you can do something about a sponsor.]",
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
    description:
      "[I am sixty-three and I write compilers.|I look my age.|I came back to this work after twenty years.] [At the hackathon I was asked whether I am waiting for my son.|Two teams said that they were full, and then took others.|At the job wall someone explained to me what a browser is.] [I laughed about it until the third time.|I would rather have spent the day differently.]",
  },
  {
    kind: "exclusion",
    where: ["games"],
    severity: ["low", "medium"],
    titles: [
      "[Girls|Women] get [the small table|the rules explained twice]",
      '"[She|Your girlfriend] can [watch|keep score]"',
    ],
    description:
      "[I have been playing this for ten years.|My friend and I signed up together, both of us for the league.] [The tournament list had me down as a guest.|He got a deck, and I got a chair to watch from.|Every move of mine was explained to me, by people whom I have beaten.] [It wears one down.|My friend said something; nobody listened to me.|We would like to come back to a different evening.]",
  },
  {
    kind: "following",
    where: ["games"],
    severity: ["medium", "high"],
    titles: [
      "[Waits for me|Stands waiting] at [the exit|the bus stop] every [Thursday|week]",
      'A [player|regular] who ["happens" to be|is always] on my way home',
    ],
    description:
      "[A regular offers me a lift each week, and each week I say no.|For a month the same player has left whenever I leave.] [Last time he drove next to me at walking pace.|He now waits at the bus stop, though he comes by car.|He asked a friend of mine which days I work.] [I come at other times now.|He may mean well. I am afraid all the same.|I would be glad if somebody saw me to the bus.]",
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
    description:
      "[When I act out my character I let go, and that was filmed.|A clip of me losing and swearing goes around.|Somebody puts the best scenes of the evening online.] [We had agreed on no phones at the table.|I was asked afterwards, by when it had two hundred views.|My students have seen it.] [I would like it to be taken down.|The others find it funny, so I feel like a spoilsport.]",
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
    description:
      "[The question tool is anonymous.|There is a wall where people pin their feedback.] [Since noon it has remarks about one volunteer's weight.|Three of the questions for the panel were about a speaker's private life, shown on the big screen.|Somebody has written a name, and next to it something that is a lie.] [It was up for twenty minutes before someone noticed.|I took the card down and have kept it.|Could questions be read before they are shown?]",
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
    description:
      "[We changed one word in the translation.|It was about a comma, I am not joking.] [By the evening there were fifty mails, and most of them about the person who did it.|People who had never written before came to tell her off.|Somebody dug out an old mistake of hers and pinned it.] [She has handed in her role.|I would like the pin to go, and a moderator for a week.]",
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
    description:
      "[The vote on the logo is pictures without a word of description.|The new sign-up has a puzzle that I can't hear and can't see.] [I asked for another way and was told to let somebody else do it for me.|The answer was that we are too few.] [It is a vote. I would like to cast my own.|I am happy to help with a better one.]",
    evidence: ["notes"],
    thing: true,
    resolutionNotes: [
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
    description:
      "[At the desk there is a list with names, phone numbers and hotels, for anybody to read.|The helpers' plan hangs in the corridor, with private numbers on it.] [I turned it over.|Someone took a picture of it while I stood there.|I have good reasons not to be found.] [Please lock it away.|A first name would do.]",
    evidence: ["photo"],
    thing: true,
    spots: ["Registration desk", "Corridor by the crew room"],
    resolutionNotes: [
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
    description:
      "[The large shelf in the library leans forward when one takes out a box.|The platform at the end of the hall has no edge to be seen.] [A child hung on to it.|A boy fell, half a metre, and was more frightened than hurt.|I wedged a book under it.] [Two screws would do.|I can bring a drill on Thursday.]",
    evidence: ["photo"],
    thing: true,
    spots: ["Games library", "Stage in the big hall"],
    resolutionNotes: [
      "Fixed with four screws, and it does not move any more.",
      "The edge is marked in yellow, and the rail comes next week.",
    ],
  },
];
