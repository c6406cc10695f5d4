import { z } from "zod";
import { globalScope, createContainerScope, defineOperation } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";
import * as views from "#lib/incidents/saved-views.ts";
import { NewSavedViewInput, SavedView } from "#lib/incidents/saved-view-schema.ts";

/** Saved views: lists of incidents that a person returns to. */

export const listSavedViews = defineOperation({
  name: "listSavedViews",
  summary: "List your saved views of incidents",
  on: globalScope,
  can: "savedView.own",
  output: z.object({ views: z.array(SavedView) }),
  run: async ({ actor }) => ({ views: await views.listSavedViewsOfUser(actor.id) }),
});

export const saveView = defineOperation({
  name: "saveView",
  summary: "Save a view under a name, replacing any view with that name",
  on: globalScope,
  can: "savedView.own",
  input: NewSavedViewInput,
  output: z.object({ view: SavedView }),
  status: 201,
  once: "response",
  run: async ({ actor }, view) => ({ view: await views.saveView(actor.id, view) }),
});

export const removeView = defineOperation({
  name: "removeView",
  summary: "Remove a saved view",
  on: createContainerScope(async (params): Promise<PermissionSubject & { viewId: string }> => ({
    viewId: parsePathIdOrNilUuid(params.viewId),
  })),
  can: "savedView.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, viewId }) => {
    await views.removeView(actor.id, viewId);
    return undefined;
  },
});
