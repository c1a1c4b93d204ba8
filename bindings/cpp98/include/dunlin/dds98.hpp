// The classic C++ API of DDS 1.4 (2.3.3), for C++98 and later. Header only, over `dunlin.h`.
// With DUNLIN_DDS98_CODEC_ONLY there are types and their codecs alone, which need no library.
#ifndef DUNLIN_DDS98_HPP
#define DUNLIN_DDS98_HPP

#include "dunlin/dds98/codec.hpp"
#ifndef DUNLIN_DDS98_CODEC_ONLY
#include "dunlin/dds98/builtin.hpp"
#endif

#endif
