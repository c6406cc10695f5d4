import { z } from "zod";
import { nothing, only, operation } from "#lib/operation/operation.ts";
import { idInPath } from "#lib/operation/path-params.ts";
import type { Subject } from "#lib/operation/policy.ts";
import * as views from "#lib/saved-views/saved-views.ts";
import { NewView, SavedView } from "#lib/saved-views/schema.ts";

/** Lists of incidents that somebody goes back to. */

export const listSavedViews = operation({
  name: "listSavedViews",
  summary: "Your saved views of incidents",
  on: nothing,
  can: "savedView.own",
  output: z.object({ views: z.array(SavedView) }),
  run: async ({ actor }) => ({ views: await views.listViews(actor.id) }),
});

export const saveView = operation({
  name: "saveView",
  summary: "Save a view under a name; one of that name is replaced",
  on: nothing,
  can: "savedView.own",
  input: NewView,
  output: z.object({ view: SavedView }),
  status: 201,
  run: async ({ actor }, view) => ({ view: await views.saveView(actor.id, view) }),
});

export const removeView = operation({
  name: "removeView",
  summary: "Remove a saved view",
  on: only(async (params): Promise<Subject & { viewId: string }> => ({ viewId: idInPath(params.viewId) })),
  can: "savedView.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, viewId }) => {
    await views.removeView(actor.id, viewId);
    return undefined;
  },
});
