import type { TaskPayloads } from "#lib/worker/tasks.ts";

/** The job queues. Each has its own workers, so that waiting for another server delays nothing else. */
export const JOB_QUEUES = ["mail", "webhooks", "maintenance"] as const;
export type JobQueue = (typeof JOB_QUEUES)[number];

/** Returns the queue of a task. */
export function chooseJobQueue(task: string): JobQueue {
  if (task.startsWith("mail.")) return "mail";
  return task === "webhook.deliver" ? "webhooks" : "maintenance";
}

/** Somebody is waiting for these mails, so they go before notifications. */
const INTERACTIVE_PRIORITY = -10;
/** Urgent notifications, such as one about a critical report. */
export const URGENT_NOTIFICATION_JOB_PRIORITY = -5;
/** Digests go last. */
const DIGEST_PRIORITY = 10;

const INTERACTIVE_TASKS = new Set<string>([
  "mail.reset",
  "mail.emailChange",
  "mail.verification",
  "mail.invitation",
  "mail.invite",
  "mail.notice",
] satisfies (keyof TaskPayloads)[]);

/** Returns a task's priority within its queue; the lowest number runs first. */
export function chooseJobPriority(task: string): number {
  if (INTERACTIVE_TASKS.has(task)) return INTERACTIVE_PRIORITY;
  return task === "mail.digest" ? DIGEST_PRIORITY : 0;
}
