import type { DemoEventPlaceKind } from "./places.ts";
import { DISCRIMINATION_STORIES } from "./stories/discrimination.ts";
import { INSULT_STORIES } from "./stories/insults.ts";
import { ONLINE_POST_STORIES } from "./stories/online-posts.ts";
import { RARE_KIND_STORIES } from "./stories/rare.ts";
import { UNWANTED_RECORDING_STORIES } from "./stories/recordings.ts";
import { SAFETY_STORIES } from "./stories/safety.ts";
import { STALKING_STORIES } from "./stories/stalking.ts";
import { THREAT_STORIES } from "./stories/threats.ts";
import { UNWANTED_ATTENTION_STORIES } from "./stories/unwanted-attention.ts";
import type { ReportStory } from "./stories/story.ts";

/**
 * The reports of the demo world. Brackets hold alternatives, of which one is used. The stories should sound like people
 * who write to somebody they trust: plain, and no longer than necessary.
 */

export const REPORT_STORIES: readonly ReportStory[] = [
  ...INSULT_STORIES,
  ...UNWANTED_ATTENTION_STORIES,
  ...THREAT_STORIES,
  ...DISCRIMINATION_STORIES,
  ...STALKING_STORIES,
  ...UNWANTED_RECORDING_STORIES,
  ...ONLINE_POST_STORIES,
  ...SAFETY_STORIES,
  ...RARE_KIND_STORIES,
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

/** The people involved, as far as the reporter knows; blank if not stated. */
export const INVOLVED_PARTIES: Readonly<Record<DemoEventPlaceKind, readonly string[]>> = {
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
