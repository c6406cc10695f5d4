import { route } from "#lib/http/endpoint.ts";
import { handOver } from "#lib/events/handover.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: handOver });
