import {
  REPORTER_INVESTIGATION_REPLIES,
  REPORTER_RESOLUTION_REPLIES,
  TEAM_RESOLUTION_MESSAGES,
  TEAM_HAZARD_RESOLUTION_MESSAGES,
  TEAM_INVESTIGATION_MESSAGES,
  REPORTER_ACKNOWLEDGMENT_REPLIES,
  TEAM_ACKNOWLEDGMENT_MESSAGES,
  TEAM_UPDATE_MESSAGES,
  TEAM_HAZARD_ACKNOWLEDGMENTS,
  TEAM_THANK_YOU_MESSAGES,
} from "./message-texts.ts";
import type { RandomSource } from "./random.ts";
import type { ReportStory } from "./stories/story.ts";
import type { SimulatedHistoryEntry } from "./timeline.ts";

/** The messages between a team and a reporter over the lifecycle of a report. */

type DemoMessage = { at: Date; authorId: string; body: string };

type DemoConversationInput = {
  story: Pick<ReportStory, "kind" | "thing">;
  reporterId: string;
  /** The changes to the report, oldest first. */
  history: readonly SimulatedHistoryEntry[];
  now: Date;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The probability of a message or reply on each occasion. */
const MESSAGE_PROBABILITIES = { acknowledged: 0.85, investigating: 0.6, resolved: 0.9 } as const;
const REPLY_PROBABILITY = 0.55;

type Occasion = keyof typeof MESSAGE_PROBABILITIES;

/** Generates the messages about one report, oldest first. Leaves out those that would be sent after `now`. */
export function generateDemoConversation(
  random: RandomSource,
  conversation: DemoConversationInput,
): DemoMessage[] {
  const transitions = conversation.history.filter(({ action }) => action === "state" || action === "reopen");
  const messages = transitions.flatMap((change, at) => {
    const occasion = occasionOf(change);
    if (!occasion || !change.actorId || !random.chance(MESSAGE_PROBABILITIES[occasion])) return [];
    const until = transitions[at + 1]?.at ?? conversation.now;
    return generateExchange(random, { talk: conversation, change, occasion, until: until.getTime() });
  });
  return [...messages, ...generateUpdate(random, { conversation, last: transitions.at(-1), messages })];
}

type UpdateContext = {
  conversation: DemoConversationInput;
  /** The last change of status. */
  last: SimulatedHistoryEntry | undefined;
  messages: readonly DemoMessage[];
};

/**
 * Generates the team's update on an open report whose last message, if any, is the reporter's: at most 12 hours after
 * that message or the last change of status, whichever is later.
 */
function generateUpdate(
  random: RandomSource,
  { conversation, last, messages }: UpdateContext,
): DemoMessage[] {
  const isOpen = last?.to === "acknowledged" || last?.to === "investigating";
  const latest = messages.at(-1);
  const isTeamAwaited = latest === undefined || latest.authorId === conversation.reporterId;
  if (!isOpen || !last.actorId || !isTeamAwaited) return [];
  const since = Math.max(last.at.getTime(), latest?.at.getTime() ?? 0);
  const at = new Date(since + random.integer(1, random.integer(2, 12)) * HOUR);
  return at < conversation.now
    ? [{ at, authorId: last.actorId, body: random.say(random.pick(TEAM_UPDATE_MESSAGES)) }]
    : [];
}

const occasionOf = ({ to }: SimulatedHistoryEntry): Occasion | null =>
  to !== null && to in MESSAGE_PROBABILITIES ? (to as Occasion) : null;

type Exchange = {
  talk: DemoConversationInput;
  change: SimulatedHistoryEntry;
  occasion: Occasion;
  until: number;
};

/**
 * Generates a message from the team, sometimes a reply, and after a reply to the outcome a last message from the team,
 * each only if it comes before the next change of status.
 */
function generateExchange(
  random: RandomSource,
  { talk: conversation, change, occasion, until }: Exchange,
): DemoMessage[] {
  const { ours, theirs } = phrasesFor(occasion, conversation.story);
  const team = change.actorId as string;
  const sentAt = change.at.getTime() + random.integer(2, 25) * MINUTE;
  const repliedAt = sentAt + random.integer(8, 300) * MINUTE;
  const thankedAt = repliedAt + random.integer(20, 400) * MINUTE;
  const create = (at: number, authorId: string, texts: readonly string[]): DemoMessage[] =>
    at < until ? [{ at: new Date(at), authorId, body: random.say(random.pick(texts)) }] : [];
  const sent = create(sentAt, team, ours);
  if (!random.chance(REPLY_PROBABILITY)) return sent;
  const replied = create(repliedAt, conversation.reporterId, theirs);
  const thanks = occasion === "resolved" ? create(thankedAt, team, TEAM_THANK_YOU_MESSAGES) : [];
  return [...sent, ...replied, ...thanks];
}

function phrasesFor(occasion: Occasion, { kind, thing }: DemoConversationInput["story"]) {
  const plain = thing || kind === "safety";
  if (occasion === "acknowledged")
    return {
      ours: plain ? TEAM_HAZARD_ACKNOWLEDGMENTS : TEAM_ACKNOWLEDGMENT_MESSAGES,
      theirs: REPORTER_ACKNOWLEDGMENT_REPLIES,
    };
  if (occasion === "resolved")
    return {
      ours: plain ? TEAM_HAZARD_RESOLUTION_MESSAGES : TEAM_RESOLUTION_MESSAGES,
      theirs: REPORTER_RESOLUTION_REPLIES,
    };
  return { ours: TEAM_INVESTIGATION_MESSAGES[kind], theirs: REPORTER_INVESTIGATION_REPLIES };
}
