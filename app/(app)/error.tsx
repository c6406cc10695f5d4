"use client";

import { ErrorBoundaryMessage } from "#components/shell/error-boundary-message.tsx";

/** An error inside the app frame; the navigation stays. */
export default ErrorBoundaryMessage;
