/** Stands in for `@babel/runtime/helpers/extends`, which the monokai theme imports and forgets to depend on. */
export default Object.assign;
