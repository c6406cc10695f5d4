"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useForm } from "#components/ui/form-context.ts";

const FIELD_SELECTOR = "textarea, select, input:not([type=hidden])";

/** Versions that other people's changes brought to this page. */
const versionsOfOthers = new Set<string>();

export const rememberVersionOfOthers = (version: string) => versionsOfOthers.add(version);

/**
 * The version of the incident that a form was filled in for. The page follows what others change, but whoever has begun
 * to write in a form has decided on what they saw then: the form keeps that version until it is sent. What they change themselves meanwhile it follows.
 */
export function VersionField({ value }: { value: string }) {
  const { state } = useForm();
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
    if (begun !== null && !versionsOfOthers.has(value)) setBegun(value);
  }
  // A conflict shows the present version beside the written one, and what comes next is decided on both.
  const [settled, setSettled] = useState(state);
  if (settled !== state) {
    setSettled(state);
    setBegun(null);
  }
  return <input ref={field} type="hidden" name="ifMatch" value={begun ?? value} />;
}

const isUntouched = (form: HTMLFormElement) =>
  [
    ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input:not([type=hidden])"),
  ].every(({ value, defaultValue }) => value === defaultValue);
