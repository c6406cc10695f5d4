/** Texts of made-up reports: thousands of different sentences, the same ones in every run. */

const SUBJECTS =
  "a speaker|two attendees|someone from the sound crew|a volunteer at the door|the person next to me|a sponsor's employee|a group of five|my roommate|a photographer|an organizer|a man in a green jacket|a woman from the panel|one of the mentors|a student|the moderator|a delivery driver|somebody I had met before|three people at our table|the workshop host|a stranger";
const VERBS =
  "kept interrupting|took pictures without asking|made remarks about the accent of|followed|blocked the way of|shouted at|laughed about the clothes of|touched the shoulder of|refused to let in|sent unwanted messages to|spread a rumour about|pushed|copied the badge of|ignored the request of|mocked the question of|posted a photo of|asked private things of|turned away from|threatened to report|made fun of";
const OBJECTS =
  "a first-time visitor|my colleague|a person with a cane|the interpreter|one of the younger participants|a parent with a child|me|the whole front row|a vegan guest|the person at the registration desk|an older attendee|a member of the choir|our team lead|a wheelchair user|the keynote speaker|a newcomer|somebody in the queue|the cleaning staff|a friend of mine|the timekeeper";
const LOCATIONS =
  "near the coffee corner|in the main hall|during the lunch break|on the stairs|at the evening party|in room 214|outside the quiet room|by the north entrance|in the group chat|on the shuttle bus|next to the stage|at the sponsors' tables|in the cloakroom|during the closing session|at the hotel bar|on the video call|at the bus stop|in the workshop about lighting|behind the tent|beside the help desk";
const AFTERMATHS =
  "I felt unsafe afterwards|two others saw it as well|nobody stepped in|it went on for ten minutes|I left the room|we asked them to stop and they did not|it was not the first time|I have written down the time|there may be a recording|I would like to stay unnamed|the music was loud|we told a helper right away";

const split = (list: string) => list.split("|");

/** Returns `count` sentences of about 75 characters. */
export function generateSentences(count: number): string[] {
  const [who, did, whom, where, after] = [SUBJECTS, VERBS, OBJECTS, LOCATIONS, AFTERMATHS].map(split) as [
    string[],
    string[],
    string[],
    string[],
    string[],
  ];
  const at = (list: string[], draw: number) => list[draw % list.length] as string;
  return Array.from({ length: count }, (_, n) => {
    // Multiples of different primes step through the lists at different paces.
    const sentence = `${at(who, n * 7)} ${at(did, n * 13 + (n >> 4))} ${at(whom, n * 3 + (n >> 6))} ${at(where, n * 11 + (n >> 8))}`;
    const capital = sentence.charAt(0).toUpperCase() + sentence.slice(1);
    return n % 3 === 0 ? `${capital}, and ${at(after, n)}.` : `${capital}.`;
  });
}

/** Occurs in a large share of the descriptions. */
export const COMMON_WORD = "volunteer";
