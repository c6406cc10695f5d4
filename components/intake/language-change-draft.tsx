"use client";

import { useRef } from "react";
import { useTextAcrossLanguages } from "#components/incident/text-across-languages.ts";

/** Keeps the text fields of the form around it while a change of language reloads the page. */
export function LanguageChangeDraft({ name }: { name: string }) {
  const marker = useRef<HTMLInputElement>(null);
  const findForm = () => marker.current?.form ?? null;
  const restore = (values: Record<string, string>) => {
    for (const field of findForm()?.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>(TEXT_FIELDS) ??
      []) {
      field.value = values[field.name] ?? field.value;
      // The counter of characters listens.
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  useTextAcrossLanguages({ name, findForm, restore });
  return <input ref={marker} type="hidden" />;
}

const TEXT_FIELDS = "textarea, input[type=text]";
