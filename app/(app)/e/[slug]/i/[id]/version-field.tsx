"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useFormContext } from "#components/ui/form-context.ts";

const FIELD_SELECTOR = "textarea, select, input:not([type=hidden])";

/** Versions of the incident that other people's changes created. */
const versionsByOthers = new Set<string>();

export const recordIncidentVersionByOthers = (version: string) => versionsByOthers.add(version);

/**
 * Whether a refresh for other people's changes is on its way. The page that it brings may have a newer change than those
 * it was requested for, of which nobody knows yet whose it is.
 */
let isRefreshForOthersPending = false;

export const setRefreshForOthersPending = (isPending: boolean) =>
  void (isRefreshForOthersPending = isPending);

/** The number of forms whose own change is on its way. */
let pendingChangeCount = 0;

export const hasPendingFormSubmission = (): boolean => pendingChangeCount > 0;

/** Counts the form while it is being sent. */
function useCountedPending(): void {
  const { pending } = useFormContext();
  useEffect(() => {
    if (!pending) return undefined;
    pendingChangeCount += 1;
    return () => {
      pendingChangeCount -= 1;
    };
  }, [pending]);
}

/**
 * The version of the incident that a form was filled in for. The page follows changes by others, but a person who has
 * begun to fill in a form decided on what they saw then: the form keeps that version until it is sent. It follows the
 * person's own changes, and counts a version as somebody else's where it can't tell, which leads to a conflict at most.
 */
export function IncidentVersionField({ value }: { value: string }) {
  const { state } = useFormContext();
  useCountedPending();
  const field = useRef<HTMLInputElement>(null);
  const [begun, setBegun] = useState<string | null>(null);
  const onFocus = useEffectEvent((event: FocusEvent) => {
    const form = field.current?.form;
    if (!form || !(event.target as Element).matches(FIELD_SELECTOR)) return;
    if (begun === null || isUntouched(form)) setBegun(value);
  });
  useEffect(() => {
    const controller = new AbortController();
    field.current?.form?.addEventListener("focusin", (event) => onFocus(event), {
      signal: controller.signal,
    });
    return () => controller.abort();
  }, []);
  const [latest, setLatest] = useState(value);
  if (latest !== value) {
    setLatest(value);
    if (begun !== null && !versionsByOthers.has(value) && !isRefreshForOthersPending) setBegun(value);
  }
  // A conflict shows the current version, so the next submit is based on that one.
  const [settled, setSettled] = useState(state);
  if (settled !== state) {
    setSettled(state);
    setBegun(null);
  }
  return <input ref={field} type="hidden" name="ifMatch" value={begun ?? value} />;
}

const isUntouched = (form: HTMLFormElement): boolean =>
  [...form.querySelectorAll<FormField>(FIELD_SELECTOR)].every(hasDefaultValue);

type FormField = HTMLTextAreaElement | HTMLSelectElement | HTMLInputElement;

function hasDefaultValue(field: FormField): boolean {
  if (field instanceof HTMLSelectElement)
    return [...field.options].every(({ selected, defaultSelected }) => selected === defaultSelected);
  const isChecked = field instanceof HTMLInputElement && field.checked !== field.defaultChecked;
  return !isChecked && field.value === field.defaultValue;
}
