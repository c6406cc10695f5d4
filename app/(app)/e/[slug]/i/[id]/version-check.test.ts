import { expect, it } from "vitest";
import type { LiveUpdate } from "#components/live/live.ts";
import { findVersionCheckReason, isPageOutdated, type VersionCheckReason } from "./version-check.ts";

/** When an incident's page checks its version, and what it makes of it. */

const toChange = (kind: string, incidentId = "one"): LiveUpdate => ({
  type: "change",
  eventId: "spring",
  incidentId,
  kind,
});

it.each<[string, LiveUpdate, VersionCheckReason | undefined]>([
  ["the connection is up", { type: "connection", up: true }, "missedEvents"],
  ["the connection is lost", { type: "connection", up: false }, undefined],
  ["events were missed", { type: "reload" }, "change"],
  ["the incident changed", toChange("incident.state"), "change"],
  ["a message arrived", toChange("message.created"), "changeWithoutVersion"],
  ["another incident changed", toChange("incident.state", "two"), undefined],
])("when %s, the page knows whether to check its version", (_, news, reason) => {
  expect(findVersionCheckReason(news, "one")).toBe(reason);
});

it.each<[string, VersionCheckReason, boolean]>([
  ["2", "missedEvents", true],
  ["1", "missedEvents", false],
  ["1", "change", false],
  ["1", "changeWithoutVersion", true],
  // Some readers don't have the incident in their inbox; others have just lost it.
  ["", "missedEvents", false],
  ["", "change", true],
])("a page of version 1 with version “%s” after %s is outdated: %s", (current, reason, expected) => {
  expect(isPageOutdated({ shown: "1", current }, new Set([reason]))).toBe(expected);
});
