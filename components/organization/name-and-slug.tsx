"use client";

import { type FormEvent, useRef } from "react";
import { TextField } from "#components/ui/field.tsx";
import { MAX_SLUG, slugFrom } from "#lib/design/slug.ts";

type Props = {
  /** What is named: "Name of the organization". */
  nameLabel: string;
  maxName: number;
  /** What stands before the short name in addresses: "/orgs/". */
  path: string;
};

/**
 * A name, and the short name that stands in addresses. With script it follows the name until somebody edits
 * it; without, it may stay blank, and the form's action makes it from the name (slugFrom).
 */
export function NameAndSlug({ nameLabel, maxName, path }: Props) {
  const own = useRef(false);

  function follow(event: FormEvent<HTMLDivElement>) {
    const typed = event.target as HTMLInputElement;
    if (typed.name === "slug") own.current = typed.value !== "";
    if (typed.name !== "name" || own.current) return;
    const slug = event.currentTarget.querySelector<HTMLInputElement>("input[name=slug]");
    if (slug) slug.value = slugFrom(typed.value);
  }

  return (
    <div className="grid gap-6" onInput={follow}>
      <TextField name="name" label={nameLabel} maxLength={maxName} autoComplete="off" required />
      <TextField
        name="slug"
        label="Short name for addresses"
        hint={`Small letters, digits and hyphens. It stands in links, after ${path}. Made from the name when left blank.`}
        maxLength={MAX_SLUG}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}
