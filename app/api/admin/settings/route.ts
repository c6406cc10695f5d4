import { route } from "#lib/http/endpoint.ts";
import { showSettings, updateSettings } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showSettings, PATCH: updateSettings });
