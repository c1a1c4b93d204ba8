// The classic C++ API of DDS 1.4 (2.3.3), for C++98 and later. Header only, over `dunlin.h`.
#ifndef DUNLIN_DDS98_HPP
#define DUNLIN_DDS98_HPP

#include "dunlin/dds98/codec.hpp"
#include "dunlin/dds98/typed.hpp"

#endif
