"use client";

import { useFormContext } from "#components/ui/form-context.ts";

/** A time of day beside a checkbox, with a label only for screen readers; keeps its value after a refusal. */
export function TimeOfDayField({ name, label }: { name: string; label: string }) {
  const { state } = useFormContext();
  return (
    <input
      type="time"
      name={name}
      aria-label={label}
      defaultValue={state.ok ? undefined : state.values?.[name]}
      className="control w-auto!"
    />
  );
}
