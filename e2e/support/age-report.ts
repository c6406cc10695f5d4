import type { SharedService } from "./service.ts";

/** Moves a report and its deadline into the past, as if it had been filed so much earlier. */
export const ageReport = (service: Pick<SharedService, "sql">, id: string, by: string): Promise<unknown> =>
  service.sql(
    `update incidents set created_at = created_at - $2::interval, due_since = due_since - $2::interval,
       due_at = due_at - $2::interval, first_response_due_at = first_response_due_at - $2::interval where id = $1`,
    [id, by],
  );
