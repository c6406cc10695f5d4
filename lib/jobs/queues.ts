import type { TaskPayloads } from "#lib/worker/tasks.ts";

/** The queues of jobs: each has workers of its own, so that what waits for another server keeps nothing else waiting. */
export const JOB_QUEUES = ["mail", "webhooks", "maintenance"] as const;
export type JobQueue = (typeof JOB_QUEUES)[number];

/** The queue that a task belongs to. */
export function queueForTask(task: string): JobQueue {
  if (task.startsWith("mail.")) return "mail";
  return task === "webhook.deliver" ? "webhooks" : "maintenance";
}

/** Somebody sits and waits for these: they go before notices. */
export const INTERACTIVE_PRIORITY = -10;
/** Notices of what can't wait, such as a critical report. */
export const URGENT_PRIORITY = -5;
/** What was gathered over an hour or a day goes last. */
const DIGEST_PRIORITY = 10;

const INTERACTIVE_TASKS = new Set<string>([
  "mail.reset",
  "mail.emailChange",
  "mail.verification",
  "mail.invitation",
  "mail.notice",
] satisfies (keyof TaskPayloads)[]);

/** The priority of a task within its queue; jobs of the lowest number go first. */
export function priorityForTask(task: string): number {
  if (INTERACTIVE_TASKS.has(task)) return INTERACTIVE_PRIORITY;
  return task === "mail.digest" ? DIGEST_PRIORITY : 0;
}
