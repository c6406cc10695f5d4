"use client";

import { type FormEvent, useRef } from "react";
import { useTranslator } from "#i18n";
import { TextField } from "#components/ui/field.tsx";
import { MAX_SLUG_LENGTH, slugify } from "#lib/design/slug.ts";

type Props = {
  maxName: number;
  /** The part of the URL before the slug: "/orgs/". */
  path: string;
};

/**
 * A name and its slug. With script, the slug follows the name until somebody edits it; without script it may
 * stay blank, and the form's action derives it from the name (slugify). Needs the `nameAndSlug` messages.
 */
export function NameAndSlugFields({ maxName, path }: Props) {
  const t = useTranslator("nameAndSlug");
  const wasSlugEdited = useRef(false);

  function updateSlug(event: FormEvent<HTMLDivElement>) {
    const typed = event.target as HTMLInputElement;
    if (typed.name === "slug") wasSlugEdited.current = typed.value !== "";
    if (typed.name !== "name" || wasSlugEdited.current) return;
    const slug = event.currentTarget.querySelector<HTMLInputElement>("input[name=slug]");
    if (slug) slug.value = slugify(typed.value);
  }

  return (
    <div className="grid gap-6" onInput={updateSlug}>
      <TextField name="name" label={t("name")} maxLength={maxName} autoComplete="off" required />
      <TextField
        name="slug"
        label={t("slug")}
        hint={t("slug.about", { path })}
        maxLength={MAX_SLUG_LENGTH}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}
