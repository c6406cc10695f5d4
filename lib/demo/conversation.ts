import {
  ANSWERS,
  FAREWELLS,
  IN_THE_END,
  MENDED,
  ON_THE_WAY,
  REPLIES,
  THANKS,
  THANKS_FOR_A_HINT,
} from "./message-words.ts";
import type { Random } from "./random.ts";
import type { Story } from "./stories.ts";
import type { Change } from "./timeline.ts";

/** What a team and a reporter write to one another while a report goes its way. */

export type Message = { at: Date; authorId: string; body: string };

export type Talk = {
  story: Pick<Story, "kind" | "thing">;
  reporterId: string;
  /** What was done with the report, oldest first. */
  history: readonly Change[];
  now: Date;
};

const MINUTE = 60_000;

/** Shares of the occasions at which somebody writes. */
const WRITES = { acknowledged: 0.85, investigating: 0.6, resolved: 0.9 } as const;
const ANSWERED = 0.55;

type Occasion = keyof typeof WRITES;

/** The messages about one report, oldest first; what lies after now has not been written yet. */
export function converse(random: Random, talk: Talk): Message[] {
  const moves = talk.history.filter(({ action }) => action === "state" || action === "reopen");
  return moves.flatMap((change, at) => {
    const occasion = occasionOf(change);
    if (!occasion || !change.actorId || !random.chance(WRITES[occasion])) return [];
    const until = moves[at + 1]?.at ?? talk.now;
    return exchange(random, { talk, change, occasion, until: until.getTime() });
  });
}

const occasionOf = ({ to }: Change): Occasion | null =>
  to !== null && to in WRITES ? (to as Occasion) : null;

type Exchange = { talk: Talk; change: Change; occasion: Occasion; until: number };

/** A few words of the team, and now and then an answer; both before anything else happens. */
function exchange(random: Random, { talk, change, occasion, until }: Exchange): Message[] {
  const { ours, theirs } = wordsAt(occasion, talk.story);
  const wrote = change.at.getTime() + random.whole(2, 25) * MINUTE;
  const answered = wrote + random.whole(8, 300) * MINUTE;
  const authorId = change.actorId as string;
  return [
    ...(wrote < until ? [{ at: new Date(wrote), authorId, body: random.say(random.pick(ours)) }] : []),
    ...(answered < until && random.chance(ANSWERED)
      ? [{ at: new Date(answered), authorId: talk.reporterId, body: random.say(random.pick(theirs)) }]
      : []),
  ];
}

function wordsAt(occasion: Occasion, { kind, thing }: Talk["story"]) {
  const plain = thing || kind === "safety";
  if (occasion === "acknowledged") return { ours: plain ? THANKS_FOR_A_HINT : THANKS, theirs: REPLIES };
  if (occasion === "resolved") return { ours: plain ? MENDED : IN_THE_END, theirs: FAREWELLS };
  return { ours: ON_THE_WAY[kind], theirs: ANSWERS };
}
