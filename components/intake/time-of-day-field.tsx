"use client";

import { useFormContext } from "#components/ui/form-context.ts";

type Props = {
  name: string;
  /** Label for screen readers, beside a checkbox; omitted inside of a visible label. */
  label?: string;
};

/** A time of day; keeps its value after a refusal. */
export function TimeOfDayField({ name, label }: Props) {
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
