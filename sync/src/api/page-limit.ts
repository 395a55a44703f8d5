/** Records of one page of a list, unless the request asks for fewer. */
export const pageLimit = 100;
