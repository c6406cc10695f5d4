"use client";

import { type ComponentProps, useState } from "react";
import { SelectField } from "./field.tsx";
import { useFieldState } from "./field-parts.tsx";
import { useFormContext } from "./form-context.ts";

/**
 * A `SelectField` of a page that refreshes itself: the person's choice stays when a refresh brings another default,
 * until the form has been submitted.
 */
export function RefreshProofSelectField(props: ComponentProps<typeof SelectField>) {
  const { value = "" } = useFieldState(props, props.defaultValue);
  const { state } = useFormContext();
  const [choice, setChoice] = useState({ defaultKey: value, state: {} });
  const defaultKey = choice.state === state ? choice.defaultKey : value;
  return <SelectField {...props} defaultKey={defaultKey} onChange={() => setChoice({ defaultKey, state })} />;
}
