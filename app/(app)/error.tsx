"use client";

import { ErrorBoundaryMessage } from "#components/shell/retry.tsx";

/** An error inside the app frame; the navigation stays. */
export default ErrorBoundaryMessage;
