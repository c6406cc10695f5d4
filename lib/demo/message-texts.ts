import type { IncidentKind } from "#lib/incidents/kinds.ts";

/**
 * The messages between the teams of the demo world and reporters. Brackets hold alternatives, as in stories.ts. The
 * team thanks, says what happens next and promises nothing that it can't keep.
 */

/** The team's first message. */
export const TEAM_ACKNOWLEDGMENT_MESSAGES: readonly string[] = [
  "Thank you for telling us[.| about this.] [I have read every word of it|I have read your report], and so has [one colleague|the rest of the team on duty]. [We will get back to you before we talk to anybody.|Nobody outside the team sees it.] [How are you now?|Is there something that would help you today?]",
  "Thank you for writing. [I am sorry that this happened to you.|That should not happen here.] [We take it from here; you don't have to do anything more.|We look into it and write to you here, whatever comes of it.] If something happens again, tell anybody with a green badge, or write here.",
  "We have it, and we believe that it was not easy to write. [I'll be at the desk until six if you would rather talk.|If you would rather talk, say where and when.] Your name stays with the team.",
];

/** The team's first message about a place or a thing. */
export const TEAM_HAZARD_ACKNOWLEDGMENTS: readonly string[] = [
  "Thank you for telling us[ so quickly|]. Somebody is on the way there[ now|]. [We write to you once it is done.|You hear from us here.]",
  "Thank you, we had not seen that. [We look at it within the hour.|It is with the people of the house, and we stay with it.]",
];

/** The reporter's reply to the first message. */
export const REPORTER_ACKNOWLEDGMENT_REPLIES: readonly string[] = [
  "Thank you for answering so quickly. [I am all right.|I am with friends.] [I'd rather write than talk for now.|You can reach me here.]",
  "[Thanks.|Thank you.] It helps to know that somebody has read it. [Please don't tell them that it was me.|I would like to keep my name out of it.]",
  "I forgot to say: [it was about twenty past three.|there were two others who saw it, I can ask them.|it was not the first time.]",
];

/** The team's questions and messages while it investigates, by kind of report. */
export const TEAM_INVESTIGATION_MESSAGES: Readonly<Record<IncidentKind, readonly string[]>> = {
  insults: [
    "A question, if you don't mind: do you remember who [sat nearby|else was in the room]? We only ask so that you don't have to be the one who says it.",
    "We would like to have a calm word with the person who said it. We don't mention you. Is that all right with you?",
  ],
  attention: [
    "Before we speak with him we'd like your agreement to what we say. [Your name will not come up.|We don't need to name you.] Is there anything that you don't want us to do?",
    "Would it help if one of us [walks with you this evening|sits with you in the next session]? You decide, and you can change your mind.",
  ],
  threats: [
    "You don't have to be alone with this. [One of us can come along if you want to go to the police; it is your choice.|Somebody can bring you to your train.] Where can we reach you tonight?",
    "Security knows whom to look for, and that they must not name you. Would you tell us where you are, so that somebody is near?",
  ],
  exclusion: [
    "We went there and saw it. [You were right to tell us.|It is as you wrote.] We are talking to those in charge. What would make today work for you?",
    "You had written to us about this beforehand and it got lost. That is ours to answer for. May we call you [this afternoon|tomorrow morning]?",
  ],
  following: [
    "Somebody of us will be near you until the end of the day, if you want that. Tell us where you go next, and we are there first.",
    "Could you write down when and where you saw him? Only if it is no burden. We don't do anything that you don't know of.",
  ],
  pictures: [
    "We have asked to take it down. If you find another copy, send us the link[; you don't have to look for them.|.]",
    "Do you want it gone as a whole, or is it enough when the part with you is cut? Both can be done.",
  ],
  messages: [
    "We have saved the thread as it is. [You can mute them now; nothing gets lost for us.|You don't need to read on.] Have you received anything privately, too?",
    "The account can't write to you any more for now. Is there anything else from them that we should know of?",
  ],
  safety: [
    "We have been there. [It is closed off until it is mended.|Somebody stays there until it is safe.] Did you see whether somebody was hurt?",
  ],
};

/** The reporter's reply to a question. */
export const REPORTER_INVESTIGATION_REPLIES: readonly string[] = [
  "Yes, that is all right[ with me|]. [Thank you for asking first.|Please tell me afterwards how it went.]",
  "[I would rather not, for now.|Not today, please.] [Tomorrow is fine.|I'll write when I am ready.]",
  "I don't remember more than I wrote[, sorry|]. [My friend was there and would talk to you.|It went very fast.]",
  "Yes please. [I am in the large hall until five.|I am at the back, near the door.]",
];

/** Tells the reporter where things stand while the team still works on it. */
export const TEAM_UPDATE_MESSAGES: readonly string[] = [
  "[A short update|Just so you know where we are]: we are still on it[, and we haven't forgotten you|]. You'll hear from us again within a week.",
  "Thank you for writing back. [We have passed it on to the two of us who handle this.|We have added it to what we know.] We'll tell you what we decide.",
  "There is no result yet. [We have spoken with one person and will speak with another.|We are waiting for an answer ourselves.] You don't have to do anything.",
];

/** The team's message about the outcome. It says what was done, as far as that harms nobody else. */
export const TEAM_RESOLUTION_MESSAGES: readonly string[] = [
  "We have spoken with those concerned, and decided what follows from it. [We can't tell you all of it, to be fair to everybody.|It was decided by three of us.] What we can say: [it will not be passed over.|the person knows that a second time means leaving.] Thank you for trusting us with it.",
  "This is done from our side, and you should know how it ended: [we found it as you told us, and acted on it.|we talked with the person, who has understood.] If it comes up again, write here; we open it again at once.",
  "We are through with what we could do. [It took longer than we wanted, and I am sorry for that.|I hope that the rest of your days here were good ones.] If you see it differently, or something is missing, tell us.",
];

/** The team's message about the outcome for a place or a thing. */
export const TEAM_HAZARD_RESOLUTION_MESSAGES: readonly string[] = [
  "It is mended, and [somebody looks at it each morning now.|it is on our list for next time.] Thank you for telling us.",
  "Done[, and checked this morning|]. We are sorry for the trouble that it made.",
];

/** The reporter's reply to the outcome. */
export const REPORTER_RESOLUTION_REPLIES: readonly string[] = [
  "Thank you, all of you. I felt taken seriously.",
  "Thank you. [I had not expected that somebody would do something.|I'll come again next year.]",
  "That is all right for me. Thanks for staying with it.",
];

/** The team's last message, after the reporter has replied to the outcome. */
export const TEAM_THANK_YOU_MESSAGES: readonly string[] = [
  "Thank you for telling us. You can write here at any time, and one of us will read it.",
  "[I am glad to read that.|That means a lot to us.] If anything comes up, write here and we'll open the report again.",
  "Thank you. We have passed your words on to [the team|everybody who worked on it]. Take care.",
];

/** Descriptions of files, as the sender writes them. */
export const FILE_DESCRIPTIONS = {
  photo: ["How it looked [just afterwards|when I came by]", "The place, from where I stood"],
  chat: ["The messages, with their times", "What was written, in order"],
  plan: ["Where we were sitting", "Where it happened, marked"],
  statement: ["What I saw, written down the same evening", "What a friend of mine saw"],
  notes: ["Times and places, as far as I remember them", "My notes from that day"],
} as const satisfies Record<string, readonly string[]>;
