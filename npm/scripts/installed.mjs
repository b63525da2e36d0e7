// With TEPAL_PACKAGE set, tests get the package that is installed in that folder instead of this checkout's: node --import this file.
import { register } from "node:module";
import { pathToFileURL } from "node:url";

if (process.env.TEPAL_PACKAGE) {
  const parentURL = pathToFileURL(`${process.env.TEPAL_PACKAGE}/`).href;
  const hook = `export const resolve = (name, context, next) =>
    /^tepal(\\/|$)/.test(name) ? next(name, { ...context, parentURL: ${JSON.stringify(parentURL)} }) : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
