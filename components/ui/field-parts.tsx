import clsx from "clsx";
import type { ReactNode } from "react";
import { circleExclamationPointIcon } from "#lib/design/icons.ts";
import { useTranslator } from "#i18n";
import { buildFieldId, useFormContext } from "./form-context.ts";
import { IconWithoutScript } from "./icon-without-script.tsx";

export type CommonFieldProps = {
  name: string;
  label: string;
  /** Help for the answer; placed before the field. */
  hint?: ReactNode;
  /** Overrides the error in the form's state. */
  error?: string;
  /** Fields that aren't required are labeled "optional". */
  required?: boolean;
  /** False where "optional" would be meaningless, as in filters. */
  markOptional?: boolean;
};

/** Returns the state of a field: its ids, error, and the submitted value after a refusal. */
export function useFieldState(props: CommonFieldProps, defaultValue?: string, restore = true) {
  const form = useFormContext();
  const id = buildFieldId(form.id, props.name);
  const error = props.error ?? form.state.fieldErrors?.[props.name];
  const sent = restore && form.state.values !== undefined && !form.state.ok;
  const describedBy = clsx(props.hint && `${id}-hint`, error && `${id}-error`) || undefined;
  return {
    id,
    error,
    sent,
    label: props.label,
    hint: props.hint,
    optional: !props.required && props.markOptional !== false,
    value: sent ? form.state.values?.[props.name] : defaultValue,
    control: {
      id,
      name: props.name,
      required: props.required,
      "aria-invalid": error ? (true as const) : undefined,
      "aria-describedby": describedBy,
    },
  };
}

type FieldState = ReturnType<typeof useFieldState>;

/** A field with its label, hint and error. */
export function FieldWrapper({
  field,
  counter,
  children,
}: {
  field: FieldState;
  counter?: string;
  children: ReactNode;
}) {
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <label htmlFor={field.id} className="font-[550]">
          {field.label}
          <OptionalMark field={field} />
        </label>
        {counter !== undefined && (
          <p aria-live="polite" className="text-sm text-muted tabular-nums">
            {counter}
          </p>
        )}
      </div>
      <FieldHint field={field} />
      <FieldError field={field} />
      {children}
    </div>
  );
}

export function OptionalMark({ field }: { field: FieldState }) {
  const t = useTranslator("ui");
  return field.optional ? <span className="font-normal text-muted"> {t("optional")}</span> : null;
}

export function FieldHint({ field }: { field: FieldState }) {
  if (!field.hint) return null;
  return (
    <div id={`${field.id}-hint`} className="max-w-[60ch] text-sm text-muted">
      {field.hint}
    </div>
  );
}

export function FieldError({ field }: { field: FieldState }) {
  if (!field.error) return null;
  return (
    <p id={`${field.id}-error`} className="flex items-start gap-1.5 font-[550] text-danger">
      <IconWithoutScript of={circleExclamationPointIcon} size={16} className="mt-1" />
      {field.error}
    </p>
  );
}

/** Returns the props for the HTML element of a field: all but those of `CommonFieldProps`. */
export function omitFieldProps<Props extends CommonFieldProps>(
  props: Props,
): Omit<Props, keyof CommonFieldProps> {
  const { name: _n, label: _l, hint: _h, error: _e, required: _r, markOptional: _m, ...rest } = props;
  return rest;
}
