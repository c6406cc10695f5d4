import { route } from "#lib/http/endpoint.ts";
import { listSavedViews, saveView } from "#lib/saved-views/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listSavedViews, POST: saveView });
