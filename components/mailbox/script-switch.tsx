"use client";

import type { ReactNode } from "react";
import { useHydrated } from "#components/ui/use-hydrated.ts";

type Props = { withScript: ReactNode; withoutScript: ReactNode };

/**
 * Shows one of two elements, depending on whether script runs. For example, with script a separate form, since sending
 * it then leaves the rest of the page unchanged; without script a button of the surrounding form, whose text would be
 * lost if another form were sent.
 */
export const ScriptOrFallback = ({ withScript, withoutScript }: Props): ReactNode =>
  useHydrated() ? withScript : withoutScript;
