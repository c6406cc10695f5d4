"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslator } from "#i18n";
import { COMMON_TIME_ZONES, listTimeZones } from "#lib/time-zones.ts";
import { type CommonFieldProps, FieldWrapper, useFieldState } from "./field-parts.tsx";

type Props = Partial<CommonFieldProps> & {
  defaultValue?: string;
  /** Fills an empty field with the browser's time zone. */
  guess?: boolean;
};

/**
 * A time zone by its name or city, with suggestions: a few common ones, and with script every zone once the field is
 * used. The schema resolves what was typed.
 */
export function TimeZoneField({ guess = false, defaultValue, ...props }: Props) {
  const t = useTranslator("ui");
  const named = { name: "timeZone", label: t("timeZone"), hint: t("timeZoneHint"), ...props };
  const field = useFieldState(named, defaultValue);
  const input = useRef<HTMLInputElement>(null);
  const [zones, setZones] = useState<readonly string[]>(COMMON_TIME_ZONES);
  useEffect(() => {
    if (!guess || !input.current || input.current.value !== "") return;
    // As the default value, so that a reset of the form keeps the guess. No input event follows, so the guess doesn't
    // count as an unsaved change.
    input.current.defaultValue = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  }, [guess]);
  return (
    <FieldWrapper field={field}>
      <input
        {...field.control}
        ref={input}
        type="text"
        list={`${field.id}-zones`}
        defaultValue={field.value}
        placeholder=" "
        maxLength={60}
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        onFocus={() => setZones(listTimeZones())}
        className="control sm:max-w-96"
      />
      <datalist id={`${field.id}-zones`}>
        {zones.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </FieldWrapper>
  );
}
