import type { IncidentKind } from "#lib/incidents/kinds.ts";

/** The notes of the response teams in the demo world. Brackets hold alternatives, as in stories.ts. */

/** Notes on acknowledging a report. */
export const ACKNOWLEDGMENT_NOTES: readonly string[] = [
  "[Read|Have read] it. [I'll write to the reporter today.|Answered the reporter that we are on it.]",
  "[Thanked the reporter and asked how they are.|Wrote back, in a friendly and short way.] No names passed on.",
  "Clear enough to act on. [Who has time this afternoon?|Can somebody from the late shift take it?]",
  "[Anonymous, so we can't ask back.|No way to ask back.] I'll look into it myself.",
  "[Might belong with an earlier one|Sounds like something that we heard before]; I'll compare before we talk to anybody.",
  "Spoke with the reporter at the desk. [They are all right.|They would like us to go slowly.|They don't want to meet the other person.]",
  "Seen. Not urgent for the reporter, [but I don't want it to wait until Monday|still, today would be good].",
];

/** Notes on starting to investigate, by kind of report. */
export const INVESTIGATION_NOTES: Readonly<Record<IncidentKind, readonly string[]>> = {
  insults: [
    "Going to talk to [those who sat nearby|the session chair|two people who were there], then to the person named.",
    "Asked the [moderator|host] for their view. [They remember it much as it was reported.|They had not noticed.]",
    "[Two|Three] people confirm what was said. Next is a calm word with the one who said it, in private.",
  ],
  attention: [
    "Met the reporter with [a colleague|somebody they chose]. They want a clear word from us, and no meeting with him.",
    "[Another guest told us the same about this person.|This is the second report that fits.] We talk to him this afternoon, two of us.",
    "Collected dates and places. The reporter knows each step beforehand and can stop us.",
  ],
  threats: [
    "Reporter is with friends. Security knows whom to look for. [We write down what the witnesses saw while it is fresh.|Next: both sides, separately.]",
    "Taking this one with priority. Offered to come along to the police; the reporter wants to think about it.",
    "Separated the two and spoke with each. The accounts differ in [who began|one point], not in what happened.",
  ],
  exclusion: [
    "Went there and saw it myself. [The venue has been called.|The crew has been told.] Reporter is informed.",
    "Asked those in charge how it came about. [Nobody meant harm; that does not undo it.|They see it differently; meeting them at four.]",
    "Checking what we had promised beforehand, and who was to see to it.",
  ],
  following: [
    "Somebody of us walks with the reporter until the end of the day. Collecting when and where.",
    "[We know who it is.|The description fits one person.] No contact before the reporter agrees to the next step.",
    "Told the desk and the door not to give out anything about guests, to nobody. Looking at [sign-in times|the list of sightings].",
  ],
  pictures: [
    "Asked [the photographer|whoever posted it] to take it down first and to talk second.",
    "Found [two more copies|one more copy]. Writing to the people behind them.",
    "Looked at the recording together with the reporter. [It can be cut.|They would like it gone as a whole.]",
  ],
  messages: [
    "Saved everything with its times before it is gone. Talking to the moderators of the channel.",
    "The account is [known to us|new]. Muted for now, so that we can look at it in peace.",
    "Reading the thread from its start. [It begins earlier than reported.|There is more than one person behind it.]",
  ],
  safety: [
    "On my way there with [the venue's technician|someone from the crew].",
    "Seen it. [Cordoned off until it is mended.|Somebody stays there until it is done.]",
    "Called the [venue|caterer|house]. They send somebody; asking how it could stay like this for so long.",
  ],
};

/** Notes on resolving, by kind of report. */
export const RESOLUTION_NOTES: Readonly<Record<IncidentKind, readonly string[]>> = {
  insults: [
    "Spoke with the person. They had not thought about how it lands, [apologised|wrote an apology that the reporter accepted], and know that a second time means leaving.",
    "Clear warning given, in writing. The reporter has been told and is content with it.",
    "Moderators will step in earlier from now on; we agreed on the words. The person concerned [stays away from that room|was asked to leave for the day].",
    "Could not find out who it was. Told the reporter so, and put a moderator into the next sessions.",
  ],
  attention: [
    "Told him plainly to stay away from the reporter. He agreed. We looked in on it [twice|until the end of the day] and it held.",
    "Asked to leave for [the rest of the event|good]. The reporter knew of it before he did.",
    "The reporter only wanted it known and a contact for the evening. Both done; a note stays with us for next time.",
    "Badge taken back after the second report. Written decision sent; it may be appealed within two weeks.",
  ],
  threats: [
    "Excluded from the event. The door has a photo. The reporter was brought home, and is fine as of this morning.",
    "Both were heard. One has apologised; one is not coming back this season.",
    "Account closed, and its provider informed. The reporter has a list of people to turn to.",
    "The reporter went to the police with one of us. From our side a permanent exclusion.",
  ],
  exclusion: [
    "Mended within [the hour|two hours], and on the checklist for each morning now. We apologised in person.",
    "Spoke with everyone concerned. They [had a rule that nobody had told us about; it is gone|understood, and invited the person back].",
    "Ticket refunded without being asked for, and an apology. Next year's plan has a person who is responsible for access.",
    "The group now opens free seats ten minutes before start, for anyone. We look in again in a month.",
  ],
  following: [
    "He was told to keep his distance and has left. The reporter got our number and somebody to walk with until the last day.",
    "Account blocked for good; sign-ups from there are looked at by hand.",
    "Turned out to be [a misunderstanding about a seat|two friends with the same plan]; the reporter is relieved, and it was right to tell us.",
    "No further sightings in a week. The reporter agrees to leave it at that, and will write if it starts anew.",
  ],
  pictures: [
    "Taken down everywhere that we know of, and the originals deleted in front of us.",
    "Recording cut. The crew shows a sign from now on and asks before it starts.",
    "The photographer apologised and gives each picture a second look for red lanyards. Reporter informed.",
    "Site contacted; removed after [a day|three days]. We explained to the group why it matters.",
  ],
  messages: [
    "Posts removed, author warned. The thread is closed.",
    "Account suspended for [two weeks|a month]. The others apologised on their own.",
    "Details removed within the hour and the logs cleaned; the person concerned has been told what was visible to whom.",
    "Rules of the channel pinned, and two new moderators found. Quiet since.",
  ],
  safety: [
    "[Cleared|Mended] at once, photo taken afterwards. Goes onto the morning round.",
    "Talked with [the house|the caterer]: it is in writing now, and someone checks it before doors open.",
    "Helped on the spot; the person is well. We keep somebody near the door at that hour.",
    "Numbers are counted at the door from now on. The next session moved to the larger room.",
  ],
};

/** Notes on closing. */
export const CLOSING_NOTES: readonly string[] = [
  "No word from the reporter since; as agreed we leave it here.",
  "Asked again after a week. All well. Closing.",
  "Team meeting: nothing more to do for us.",
  "The reporter is content. Thank you all.",
  "Same matter as an earlier report; the work goes on there.",
];

/** Notes on reopening. */
export const REOPENING_NOTES: readonly string[] = [
  "It happened again, [same person, other room|on the very next day]. Opening it anew.",
  "[A second person came forward|Somebody else wrote to us] about the same matter.",
  "The reporter wrote that it was not the end of it. Fair point, I had closed it too early.",
  "New [pictures turned up|messages came in] overnight.",
];

/** Notes between two changes of status. */
export const PROGRESS_NOTES: readonly string[] = [
  "Tried to reach the reporter twice, no answer so far. Will try in the evening.",
  "Talked it over with [the late shift|the other team]. We agree on the next step.",
  "The reporter asks that we wait until tomorrow. We wait.",
  "Heard the other side: differs in the details, not in the main thing.",
  "Handing over, my shift ends. All I know is written down above.",
  "Spoke with a witness who would like to stay unnamed.",
];
